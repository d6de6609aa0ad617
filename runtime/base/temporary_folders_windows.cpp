// Windows ends a program without a signal, and its temporary folders stay.

#include "base/temporary_folders.hpp"

namespace ptp {

void remove_temporary_folders_on_signals() {}

void list_temporary_folder(const std::string& /*path*/) {}

void unlist_temporary_folder(const std::string& /*path*/) {}

Descriptor hold_temporary_folder(const std::string& /*path*/) {
    return {};
}

std::string boot_id() {
    return "";
}

std::string temporary_folder_pattern(const std::filesystem::path& /*parent*/,
                                     const std::string& /*boot*/) {
    return "ptp-plugins-XXXXXX";
}

void remove_abandoned_folders(const std::filesystem::path& /*parent*/,
                              const std::string& /*boot*/) {}

}  // namespace ptp
