// The engine, which runs components. Opening it takes most of a second.
#pragma once

#include "engine/check_request.hpp"
#include "host/open_engine.hpp"

namespace ptp::inspect {

// The engine, opened on first use and shared by all checks: child processes that are started later
// inherit it.
class Engine {
public:
    // Throws std::runtime_error with the reason why it cannot be opened.
    void open() {
        if (check_ == nullptr) {
            check_ =
                reinterpret_cast<engine::CheckFunction>(host::engine_symbol(engine::kCheckSymbol));
        }
    }

    // Checks the components. REQUIRES: the engine is open.
    void check(const engine::CheckRequest& request, engine::CheckResult& result) const {
        check_(request, result);
    }

private:
    engine::CheckFunction check_ = nullptr;
};

}  // namespace ptp::inspect
