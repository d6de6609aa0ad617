// Windows ends a program without a signal, and its temporary folders stay.

#include "base/temporary_on_signal.hpp"

namespace ptp {

void remove_temporary_folders_on_signals() {}

void list_temporary_folder(const std::string& /*path*/) {}

void unlist_temporary_folder(const std::string& /*path*/) {}

}  // namespace ptp
