#include "base/library_pages.hpp"

namespace ptp {

void release_library_pages() noexcept {}

}  // namespace ptp
