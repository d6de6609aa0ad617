#ifndef USE_C10D_GLOO
#define USE_C10D_GLOO  // as libtorch was built; its headers ask for it
#endif

#include "engine/distributed/direct_sums.hpp"

#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include <algorithm>
#include <exception>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

using Works = std::vector<c10::intrusive_ptr<c10d::Work>>;

// Those of what is sent to one process alone (group.cpp) are below.
constexpr int kFirstTag = 1 << 30;

void wait_for(const Works& works) {
    for (const auto& work : works) {
        if (!work->wait()) {
            throw std::runtime_error("the connections are closed");
        }
    }
}

}  // namespace

// Where sums of one type and size arrive. What the others send is asked for as soon as there is
// room for it, so that they can send the next one at once.
struct DirectSums::Channel {
    int tag = 0;
    std::vector<at::Tensor> buffers = {};  // by the peers
    Works receiving = {};
    std::exception_ptr lost = nullptr;  // why nothing can arrive any more
    bool is_busy = false;               // until the sum has been waited for
};

class DirectSums::Sum {
public:
    Channel& channel;
    at::Tensor numbers;  // in one dimension
    Works sending = {};
};

class DirectSums::Parts {
public:
    Parts(c10d::ProcessGroupGloo& gloo, std::int64_t rank, std::int64_t size)
        : gloo_(gloo), rank_(rank) {
        for (std::int64_t peer = 0; peer < size; ++peer) {
            if (peer != rank) {
                peers_.push_back(static_cast<int>(peer));
            }
        }
    }

    [[nodiscard]] std::int64_t process_count() const {
        return static_cast<std::int64_t>(peers_.size()) + 1;
    }

    std::shared_ptr<Sum> begin(const at::Tensor& tensor) {
        Channel& channel = idle_channel(tensor);
        if (channel.lost) {
            std::rethrow_exception(channel.lost);
        }
        channel.is_busy = true;
        auto sum = std::make_shared<Sum>(Sum{channel, tensor.detach().view({-1})});
        std::vector<at::Tensor> sent = {sum->numbers};
        for (const int peer : peers_) {
            sum->sending.push_back(gloo_.send(sent, peer, channel.tag));
        }
        return sum;
    }

    void wait(Sum& sum) {
        const c10::AutoGradMode without_gradients(false);
        wait_for(sum.channel.receiving);
        wait_for(sum.sending);
        add(sum.numbers, sum.channel.buffers);
        try {
            ask_for_next(sum.channel);
        } catch (...) {  // After the last sum another process may have ended already.
            sum.channel.lost = std::current_exception();
        }
        sum.channel.is_busy = false;
    }

private:
    // A sum that begins before another one of its size has been waited for has another channel.
    Channel& idle_channel(const at::Tensor& tensor) {
        auto& channels = channels_[{tensor.scalar_type(), tensor.numel()}];
        const auto idle =
            std::ranges::find_if(channels, [](const auto& channel) { return !channel->is_busy; });
        if (idle != channels.end()) {
            return **idle;
        }
        auto channel = std::make_unique<Channel>();
        channel->tag = next_tag_++;
        for (std::size_t peer = 0; peer < peers_.size(); ++peer) {
            channel->buffers.push_back(at::empty({tensor.numel()}, tensor.scalar_type()));
        }
        ask_for_next(*channel);
        return *channels.emplace_back(std::move(channel));
    }

    void ask_for_next(Channel& channel) {
        channel.receiving.clear();
        for (std::size_t i = 0; i < peers_.size(); ++i) {
            std::vector<at::Tensor> into = {channel.buffers[i]};
            channel.receiving.push_back(gloo_.recv(into, peers_[i], channel.tag));
        }
    }

    void add(at::Tensor& own, const std::vector<at::Tensor>& others) const {
        if (others.size() == 1) {  // The same bits in either order.
            own.add_(others.front());
            return;
        }
        at::Tensor total;
        for (std::int64_t rank = 0; rank < process_count(); ++rank) {
            const auto place = static_cast<std::size_t>(rank < rank_ ? rank : rank - 1);
            const at::Tensor& part = rank == rank_ ? own : others[place];
            total = total.defined() ? total.add_(part) : part.clone();
        }
        own.copy_(total);
    }

    c10d::ProcessGroupGloo& gloo_;
    const std::int64_t rank_;
    std::vector<int> peers_;  // the ranks of the others
    std::map<std::pair<at::ScalarType, std::int64_t>, std::vector<std::unique_ptr<Channel>>>
        channels_;
    int next_tag_ = kFirstTag;
};

DirectSums::DirectSums(c10d::ProcessGroupGloo& gloo, std::int64_t rank, std::int64_t size)
    : parts_(std::make_unique<Parts>(gloo, rank, size)) {}

DirectSums::~DirectSums() = default;

bool DirectSums::is_for(const at::Tensor& tensor) const {
    const std::int64_t processes = parts_->process_count();
    return processes <= kMaxProcesses &&
           tensor.nbytes() <= (processes == 2 ? kMaxBytesOfTwo : kMaxBytesOfMore);
}

std::shared_ptr<DirectSums::Sum> DirectSums::begin(const at::Tensor& tensor) {
    return parts_->begin(tensor);
}

void DirectSums::wait(Sum& sum) {
    parts_->wait(sum);
}

}  // namespace ptp::engine
