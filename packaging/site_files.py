"""The files of the site: the page of the browser board, the engine as WebAssembly, and what works offline."""

import hashlib
import json
import re
from pathlib import Path

from archives import Entry

# The policy that `tengen serve` sends as a header. Browsers ignore frame-ancestors in a page.
POLICY = ("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; "
          "img-src 'self' blob:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
          "require-trusted-types-for 'script'; trusted-types tengen tengen-offline")
HEAD = f"""<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<link rel="manifest" href="manifest.webmanifest">
<link rel="apple-touch-icon" href="icon-192.png">
<script type="module" src="start-offline.js" async></script>
"""
# Where the page looks for the engine.
ENGINE = "js/protocol/engine/"
BOOK = ENGINE + "cfour.book"
# The engine with one thread, and the one on shared memory: a browser loads one of them.
ALONE, SHARED = ENGINE + "tengen_wasm", ENGINE + "tengen_threads"
# The page of a run of the arena: only the program that shows a run has its data.
OF_A_RUN = re.compile(r"run\.html|js/features/run/.*|lang/\w+\.run\.json")


def without_comments(text):
    """Returns a module or style sheet as `tengen serve` sends it: without comments and blanks before lines."""
    plain = re.sub(r"/\*.*?\*/ ?", "", text, flags=re.S)
    lines = (line.strip() for line in plain.splitlines())
    return "".join(f"{line}\n" for line in lines if line and not line.startswith("//"))


def page(folder):
    """Returns the files of the page by their paths, as a static host sends them."""
    files = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_dir() or name.endswith((".md", ".ts")) or OF_A_RUN.fullmatch(name):
            continue
        data = path.read_bytes()
        if name.endswith((".js", ".css")):
            data = without_comments(data.decode()).encode()
        files[name] = data
    return files


def with_head(html):
    """Returns the page with its policy, manifest and icon."""
    mark = b'<meta charset="utf-8">\n'
    if html.count(mark) != 1:
        raise ValueError("index.html has no line <meta charset=\"utf-8\">")
    return html.replace(mark, mark + HEAD.encode())


def service_worker(template, files):
    """Returns the service worker: its cache has a new name when a file changes."""
    digest = hashlib.sha256()
    for name, data in sorted(files.items()):
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
    names = ["./" if name == "index.html" else name for name in sorted(files) if name != BOOK]
    shared = [name for name in names if name.startswith(SHARED)]
    alone = [name for name in names if name.startswith(ALONE)]
    both = [name for name in names if name not in {*shared, *alone}]
    values = {"'VERSION'": digest.hexdigest()[:16], "['FILES']": both, "['ALONE']": alone, "['SHARED']": shared,
              "['LATER']": ["index.html", BOOK]}
    for place, value in values.items():
        template = template.replace(place, json.dumps(value))
    return template.encode()


def engine_module(template, name, code):
    """Returns the module of the engine NAME, which tells the size of the engine's code."""
    mark = "'SIZE'"
    if template.count(mark) != 1:
        raise ValueError("tengen_wasm.js has no place for the size of the WebAssembly file")
    named = without_comments(template).replace("./tengen_wasm_bindings.js", f"./{name}_bindings.js")
    return named.replace(mark, str(len(code))).encode()


def engine_files(root, engine, book):
    """Returns all files of the engine for browsers by their names. `engine` has those that `wasm-bindgen` writes."""
    template = (root / "packaging/site/tengen_wasm.js").read_text()
    codes = {name.removesuffix("_bg.wasm"): code for name, code in engine.items() if name.endswith("_bg.wasm")}
    modules = {f"{name}.js": engine_module(template, name, code) for name, code in codes.items()}
    return engine | modules | {"cfour.book": book}


def site(root, engine, book):
    """Returns the entries of the site. `engine` maps the names of the engine's files to their bytes."""
    own = root / "packaging/site"
    files = page(root / "web/page")
    files["index.html"] = with_head(files["index.html"])
    for path in sorted(own.iterdir()):
        if path.suffix in (".png", ".webmanifest"):
            files[path.name] = path.read_bytes()
    files |= {ENGINE + name: data for name, data in engine_files(root, engine, book).items()}
    files["start-offline.js"] = without_comments((own / "start-offline.js").read_text()).encode()
    files["offline.js"] = service_worker(without_comments((own / "offline.js").read_text()), files)
    for name in ("LICENSE-APACHE", "LICENSE-MIT"):
        files[f"{name}.txt"] = (root / name).read_bytes()
    return {name: Entry(data) for name, data in files.items()}


def write(entries, folder):
    """Writes the entries into a new folder."""
    for name, entry in entries.items():
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(entry.data)
