"""pytest on another native module than the installed one: sanitized.py MODULE ARGUMENT..."""

import sys
from importlib.util import module_from_spec, spec_from_file_location

import pytest

if __name__ == "__main__":
    name = "bamdp._core"
    spec = spec_from_file_location(name, sys.argv[1])
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    sys.exit(pytest.main(sys.argv[2:]))
