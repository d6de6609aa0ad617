#include "engine/train/set_pass.hpp"

#include <algorithm>

namespace ptp::engine {

bool SetPass::next(Position at) {
    episode_.frame().clear();
    if (!pass_.next(episode_.frame())) {
        return false;
    }
    episode_.forward(source_.task(), at, {pass_.batch_index(), pass_.batch_size()});
    episode_.count();
    samples_done_ += pass_.batch_size();
    return true;
}

std::uint64_t SetPass::batch_count() const {
    return std::min(pass_.batch_count(), max_batches_);
}

std::uint64_t SetPass::sample_count() const {
    return source_.sample_count();
}

}  // namespace ptp::engine
