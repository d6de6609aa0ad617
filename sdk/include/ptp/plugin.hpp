// The whole SDK, for a plugin in one file; ptp/component.hpp describes components. A plugin of
// several files includes ptp/component.hpp in each component's file, and ptp/entry.hpp in the one
// with PTP_PLUGIN.
#pragma once

#include <ptp/component.hpp>
#include <ptp/entry.hpp>
