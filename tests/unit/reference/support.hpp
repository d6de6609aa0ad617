// Two plugins that are nowhere but in the memory of the tests.

#pragma once

#include "plugin/catalog.hpp"

namespace ptp::reference::test {

// shapes 1.0.0 with the task Dots, the model Net and the loss Distance.
plugin::Catalog catalog();

}  // namespace ptp::reference::test
