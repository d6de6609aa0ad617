#include "engine.hpp"

#include "host/open_engine.hpp"

namespace ptp::inspect {

void Engine::open() {
    if (check_ == nullptr) {
        check_ = reinterpret_cast<engine::CheckFunction>(host::engine_symbol(engine::kCheckSymbol));
    }
}

}  // namespace ptp::inspect
