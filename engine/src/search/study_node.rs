//! Shows nodes to whoever studies the search.

use crate::context::Stopped;
use crate::evaluator::SearchEvaluator;
use crate::order::{Ordered, pick};
use crate::rules::Game;

use super::child::{Child, Node};
use super::state::Search;
use super::study::Studied;

impl<G: Game, E: SearchEvaluator<G>> Search<'_, G, E> {
    /// Shows a node that is about to be searched to whoever studies. Within it nothing is studied.
    pub(super) fn show(
        &mut self,
        node: &Node<G, E, G::Move>,
        children: &[Child<G, E>],
        places: &mut [Ordered<usize>],
    ) -> Result<(), Stopped> {
        if !node.window.is_scout() || places.len() < 2 {
            return Ok(());
        }
        let Some(study) = self.study.take() else { return Ok(()) };
        if study.wants(node.depth) {
            study.learn(&node.game, self.search_all(node, children, places)?);
        }
        self.study = Some(study);
        Ok(())
    }

    fn search_all(
        &mut self,
        node: &Node<G, E, G::Move>,
        children: &[Child<G, E>],
        places: &mut [Ordered<usize>],
    ) -> Result<Vec<Studied<G>>, Stopped> {
        let killers = self.frames[node.ply].killers;
        let all = (0..places.len()).map(|index| &children[pick(places, index)]);
        let mut all: Vec<&Child<G, E>> = all.collect();
        // What the first one leaves in the table helps the others, so each is first at times.
        let first = self.context.own_nodes() as usize % all.len();
        all.rotate_left(first);
        let mut studied = Vec::new();
        for child in all {
            let before = self.context.own_nodes();
            let score = self.enter_child(child, node.window, node.depth, node.ply)?;
            let nodes = self.context.own_nodes() - before;
            studied.push(Studied {
                game: child.game.clone(),
                cuts: score >= node.window.beta,
                nodes,
            });
        }
        studied.rotate_right(first);
        self.frames[node.ply].killers = killers;
        Ok(studied)
    }
}
