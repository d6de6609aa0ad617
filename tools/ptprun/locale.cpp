#include "locale.hpp"

#include <cstdlib>
#include <locale>
#include <stdexcept>

namespace ptp::ptprun {

namespace {

bool is_known(const char* name) {
    try {
        const std::locale locale(name);
        return true;
    } catch (const std::runtime_error&) {
        return false;
    }
}

}  // namespace

void require_known_locale() {
    if (!is_known("")) {
        setenv("LC_ALL", is_known("C.UTF-8") ? "C.UTF-8" : "C", 1);
    }
}

}  // namespace ptp::ptprun
