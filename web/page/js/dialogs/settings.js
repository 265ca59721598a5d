//! The dialog of settings.

import { close, field, number, select } from '../base/dialog.js';
import { hasEngine } from '../protocol/worker-port.js';
import { LANGUAGES, byId, el, languageNow, setText, storeItem, t } from '../base/text.js';

/** @typedef {import('../app/app.js').App} App */
/** @typedef {import('../app/state.js').Settings} Settings */

/** @typedef {'theme' | 'entry' | 'numbers' | 'values' | 'engine' | 'pace'} ChoiceKey */
/** @typedef {'coords' | 'chances' | 'warn' | 'sounds' | 'vibrate' | 'contrast' | 'still' | 'keys' | 'wheel' | 'dots'} CheckKey */
/** @typedef {'moveTime' | 'searchTime' | 'searchNodes' | 'searchDepth' | 'threads' | 'memory'} NumberKey */

/** @param {App} app */
export function content(app) {
  const { settings: now } = app;
  const choice = (/** @type {ChoiceKey} */ key, /** @type {string[]} */ options, then = () => {}) =>
    field(
      `set-${key}`,
      t(`set.${key}`),
      select(
        `set-${key}`,
        options.map((option) => [option, t(`set.${key}.${option}`)]),
        now[key],
        () => {
          app.set(key, /** @type {any} */ (/** @type {HTMLSelectElement} */ (byId(`set-${key}`)).value));
          then();
        },
      ),
    );
  const check = (/** @type {CheckKey} */ key) =>
    el(
      'label.check',
      null,
      el('input', {
        type: 'checkbox',
        checked: now[key],
        onchange: (/** @type {Event} */ event) => app.set(key, /** @type {HTMLInputElement} */ (event.target).checked),
      }),
      t(`set.${key}`),
    );
  const languageField = select('set-language', Object.entries(LANGUAGES), languageNow(), () => {
    const tag = /** @type {HTMLSelectElement} */ (byId('set-language')).value;
    app.set('language', tag);
    void app.loaded(app.useLanguage(tag)).then(() => app.open('settings'));
  });
  const log = el('details', null, el('summary', null, t('log')), el('ol.log', null, ...app.log.map((line) => el('li', null, line))));
  const reset = el(
    'button',
    {
      type: 'button',
      onclick: () => {
        storeItem('local', 'tengen.settings', '{}');
        location.reload();
      },
    },
    t('set.reset'),
  );
  return {
    parts: [
      el(
        'div.form',
        null,
        choice('theme', ['auto', 'light', 'dark']),
        field('set-language', t('language'), languageField),
        choice('entry', ['auto', 'direct', 'confirm', 'slide']),
        choice('numbers', ['auto', 'off', 'last', 'last5', 'all', 'from']),
        choice('values', ['win', 'score', 'rank', 'none']),
        choice('pace', ['fast', 'normal', 'slow']),
        el(
          'div.checks',
          null,
          .../** @type {CheckKey[]} */ (['coords', 'dots', 'chances', 'warn', 'sounds', 'vibrate', 'contrast', 'still', 'keys', 'wheel'])
            .filter((key) => key !== 'vibrate' || 'vibrate' in navigator)
            .map(check),
        ),
        el('h3', null, t('set.search')),
        ...searchFields(app),
        // Who has chosen an engine that is gone can go back.
        ...(hasEngine() || now.engine === 'page'
          ? [choice('engine', ['auto', 'server', 'page'], () => app.client.choose(app.settings.engine))]
          : []),
        log,
        el('div.buttons', null, reset, el('button.primary', { type: 'button', onclick: close }, t('done'))),
      ),
    ],
  };
}

/** The limits of searches, within those of the engine. @param {App} app */
function searchFields(app) {
  const maxSeconds = (app.version?.limits?.time_ms ?? 86_400_000) / 1000;
  const maxThreads = app.version?.threads ?? 1;
  const reason = el('p.reason', { role: 'alert', id: 'searchreason' });
  /** Stores a number. An empty field means no limit. @param {NumberKey} key @param {number} min @param {number} max @param {number} unit @param {boolean} whole */
  const input = (key, min, max, unit, whole) => {
    const value = app.settings[key];
    const node = number(`set-${key}`, value / unit, min, max, t(`set.${key}`), () => {
      const n = node.value === '' ? 0 : Number(node.value);
      const good = node.value === '' || (n >= min && n <= max && (!whole || Number.isInteger(n)));
      setText(reason, good ? '' : t('set.range', { what: node.value, from: min, to: max }));
      if (good) app.set(key, Math.round(n * unit));
    });
    if (!value) node.value = '';
    node.placeholder = key === 'threads' ? String(maxThreads) : '∞';
    return field(`set-${key}`, t(`set.${key}`), node, el('span', null, t(`set.${key}.unit`)));
  };
  return [
    input('moveTime', 0.1, Math.min(maxSeconds, 3600), 1000, false),
    input('searchTime', 0.1, maxSeconds, 1000, false),
    input('searchNodes', 1000, 1e12, 1, true),
    input('searchDepth', 1, 1000, 1, true),
    input('threads', 1, maxThreads, 1, true),
    app.client.isRemote
      ? el('p.hintline', null, t('set.memory.server', { mib: app.version?.hash_mib ?? '?' }))
      : input('memory', 16, 256, 1, true),
    reason,
  ];
}
