// The engine, which runs components. Opening it takes most of a second.
#pragma once

#include "engine/check_request.hpp"

namespace ptp::inspect {

// Opened when it is first asked for, once for all plugins that are checked: processes that are
// started afterwards have it.
class Engine {
public:
    // Throws std::runtime_error that states why it cannot be opened.
    void open();

    // REQUIRES: it is open.
    void check(const engine::CheckRequest& request, engine::CheckResult& result) const {
        check_(request, result);
    }

private:
    engine::CheckFunction check_ = nullptr;
};

}  // namespace ptp::inspect
