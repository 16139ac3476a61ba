"""The command line, `bamdp`: one file a command."""
