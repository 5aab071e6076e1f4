"""Runs docs/tutorial.ipynb and stores its outputs, so that it can be read without being run.

    pip install nbclient ipykernel
    python scripts/tutorial.py

Warnings, times and names of machines are left out. A test compares what the cells print with what is stored.
"""

import json
import pathlib

import nbformat
from nbclient import NotebookClient

PATH = pathlib.Path(__file__).resolve().parent.parent / "docs" / "tutorial.ipynb"

notebook = nbformat.read(PATH, as_version=4)
NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": str(PATH.parent)}}).execute()
for cell in notebook.cells:
    cell.metadata = {}
    if cell.cell_type == "code":
        cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
notebook.metadata = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
PATH.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
