#pragma once

#include <nanobind/nanobind.h>

namespace bamdp {

void bind_solver(nanobind::module_& module);

}  // namespace bamdp
