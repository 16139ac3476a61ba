"""The commands of the rerun: `python -m reproduction NAME...`, `report` and `export FILE`."""

from bamdp.config.parameters import Parameter

PROGRAM = "python -m reproduction"
STORE = Parameter("store", str, "reproduction/results", "folder with the stored results")
