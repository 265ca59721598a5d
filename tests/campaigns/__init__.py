"""The campaigns, one module each: its `add` describes its command line, its function with the name of the module runs it."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
