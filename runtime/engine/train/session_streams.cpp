// Selects the streams of a session's batches that are dropped after loading.

#include "engine/component/loader_stage.hpp"
#include "engine/train/session.hpp"

#include <algorithm>
#include <vector>

namespace ptp::engine {

void Session::drop_unread(const std::function<bool(std::string_view)>& is_shown) {
    is_shown_ = is_shown;
    for (std::unique_ptr<BatchSource>* source : sources()) {
        if (*source) {
            drop_unread(**source, components);
        }
    }
}

std::vector<int> Session::unread(const Components& made, const Instance& task) const {
    if (!is_shown_) {
        return {};
    }
    std::vector<int> streams = unread_streams(made, task);
    std::erase_if(streams, [this](int stream) {
        return is_shown_(executor.plan().streams[static_cast<std::size_t>(stream)].name);
    });
    return streams;
}

void Session::drop_unread(BatchSource& source, const Components& made) const {
    source.drop(unread(made, source.task()));
}

bool Session::lacks_streams(const BatchSource& source, const Components& made) const {
    const std::vector<int> unread = this->unread(made, source.task());
    return std::ranges::any_of(source.dropped(), [&](int stream) {
        return std::ranges::find(unread, stream) == unread.end();
    });
}

bool Session::lacks_streams_of(const pipeline::Node& node) {
    return std::ranges::any_of(sources(), [&](const std::unique_ptr<BatchSource>* source) {
        if (*source == nullptr) {
            return false;
        }
        const std::vector<int> dropped = (*source)->dropped();
        return std::ranges::any_of(node.inputs, [&](const pipeline::Binding& input) {
            return std::ranges::find(dropped, input.stream) != dropped.end();
        });
    });
}

}  // namespace ptp::engine
