#include "plugin/settling.hpp"

#include "base/windows_api.hpp"

namespace ptp::plugin {

namespace {

std::uint64_t joined_halves(DWORD high, DWORD low) {
    return std::uint64_t{high} << 32U | low;
}

}  // namespace

FileState state_of(const std::filesystem::path& path) {
    const HANDLE file = ::CreateFileW(path.c_str(), FILE_READ_ATTRIBUTES,
                                      FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                                      nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
    if (file == INVALID_HANDLE_VALUE) {
        return {};
    }
    BY_HANDLE_FILE_INFORMATION info{};
    const BOOL is_known = ::GetFileInformationByHandle(file, &info);
    ::CloseHandle(file);
    if (is_known == 0) {
        return {};
    }
    constexpr std::int64_t kNanoseconds = 100;  // in a tick
    const auto ticks = static_cast<std::int64_t>(
        joined_halves(info.ftLastWriteTime.dwHighDateTime, info.ftLastWriteTime.dwLowDateTime));
    constexpr std::int64_t kTicksTo1970 = 116'444'736'000'000'000;
    return {.exists = true,
            .device = info.dwVolumeSerialNumber,
            .inode = joined_halves(info.nFileIndexHigh, info.nFileIndexLow),
            .size = joined_halves(info.nFileSizeHigh, info.nFileSizeLow),
            .changed_ns = (ticks - kTicksTo1970) * kNanoseconds};
}

}  // namespace ptp::plugin
