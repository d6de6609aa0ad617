// Asks Windows for memory in use.

#include "base/memory.hpp"

#include "base/windows_api.hpp"

#include <psapi.h>

namespace ptp {

std::uint64_t resident_bytes() {
    PROCESS_MEMORY_COUNTERS counters{};
    const BOOL is_known = ::GetProcessMemoryInfo(::GetCurrentProcess(), &counters, sizeof counters);
    return is_known != 0 ? counters.WorkingSetSize : 0;
}

void keep_freed_memory() noexcept {}

}  // namespace ptp
