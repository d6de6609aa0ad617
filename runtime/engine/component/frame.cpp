#include "engine/component/frame.hpp"

namespace ptp::engine {

Frame::Frame(const pipeline::Plan& plan) : slots_(plan.streams.size()) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        slots_[i].element = static_cast<ptp_element>(plan.streams[i].element);
    }
}

void Frame::clear() {
    for (Slot& slot : slots_) {
        slot.clear();
    }
}

}  // namespace ptp::engine
