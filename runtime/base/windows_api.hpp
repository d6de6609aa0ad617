// Includes <windows.h>, where PTP_VERSION is a type of thread pools, not the macro of ptp.

#pragma once

#pragma push_macro("PTP_VERSION")
#undef PTP_VERSION
#include <windows.h>
#pragma pop_macro("PTP_VERSION")
