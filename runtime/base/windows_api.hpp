// <windows.h>, in which PTP_VERSION and the like are types of thread pools.

#pragma once

#pragma push_macro("PTP_VERSION")
#undef PTP_VERSION
#include <windows.h>
#pragma pop_macro("PTP_VERSION")
