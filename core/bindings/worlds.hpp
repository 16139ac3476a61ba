// Rows of worlds that a function in Python gives.
#pragma once

#include "beliefs/world_rows.hpp"
#include "bindings/arrays.hpp"

namespace bamdp {

class PythonRows : public WorldRows {
 public:
    PythonRows(std::size_t worlds, std::int32_t actions, nb::object request, std::size_t most_bytes);

    nb::object request;  // None: all rows are added beforehand
    nb::object python_actions_in = nb::none();  // None: all actions are considered
};

}  // namespace bamdp
