// The collectives of a group, by gloo, and by NCCL for tensors on devices.

#ifndef USE_C10D_GLOO
#define USE_C10D_GLOO  // as libtorch was built; its headers require it
#endif

#include "engine/distributed/group.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/ranges.hpp"
#include "engine/distributed/device_sums.hpp"
#include "engine/distributed/meeting.hpp"
#include "engine/distributed/network.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <fmt/core.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include <algorithm>
#include <csignal>
#include <exception>
#include <set>
#include <thread>
#include <utility>

namespace ptp::engine {

namespace {

// Texts are sent as tensors of their bytes.
at::Tensor text_bytes(const std::string& text) {
    at::Tensor bytes = at::empty({static_cast<std::int64_t>(text.size())}, at::kByte);
    text.copy(static_cast<char*>(bytes.data_ptr()), text.size());
    return bytes;
}

std::string text_from(const at::Tensor& bytes) {
    return {static_cast<const char*>(bytes.data_ptr()), static_cast<std::size_t>(bytes.numel())};
}

constexpr const char* kFixOfLoss =
    "look at what the other ranks report; one of them has ended, hangs or cannot be reached";

}  // namespace

class Group::Parts {
public:
    // Connects with the others; `name_in` is the name of their keys in the store.
    Parts(distributed::Place place_in, c10::intrusive_ptr<RankStore> store_in,
          std::chrono::milliseconds timeout_in, const std::string& name_in)
        : place(std::move(place_in)),
          store(std::move(store_in)),
          timeout(timeout_in),
          name(name_in) {
        auto how = c10d::ProcessGroupGloo::Options::create(timeout);
        const Network network = network_among(place, *store);
        how->devices.push_back(network.is_interface
                                   ? c10d::ProcessGroupGloo::createDeviceForInterface(network.name)
                                   : c10d::ProcessGroupGloo::createDeviceForHostname(network.name));
        gloo = c10::make_intrusive<c10d::ProcessGroupGloo>(
            c10::make_intrusive<c10d::PrefixStore>(name, store), static_cast<int>(place.rank),
            static_cast<int>(place.size), how);
    }

    // Makes one step of a collective, and calls the watch before and after it.
    template <class Step>
    auto watched(const char* what, Step step) {
        note(what, false);
        try {
            auto result = step();
            note(what, true);
            return result;
        } catch (const std::exception& error) {
            refuse(what, error);
        }
    }

    void note(const char* what, bool is_over) const {
        if (const Watch& called = watched_by != nullptr ? watched_by->watch : watch) {
            called(what, is_over);
        }
    }

    // Without a watch, a roll call finds out which of the others is lost.
    [[noreturn]] void refuse(const char* what, const std::exception& error) const {
        throw WithFix<RunError>(
            kPeerLost,
            {fmt::format("rank {} of {} on {}: {} cannot be done with the other processes: {}",
                         place.rank, place.size, place.host, what,
                         watch || !meeting ? text_of(error) : meeting->cause_of(error)),
             kFixOfLoss});
    }

    const distributed::Place place;
    const c10::intrusive_ptr<RankStore> store;
    const std::chrono::milliseconds timeout;
    const std::string name;
    c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo = {};
    DeviceSum device_sum = nullptr;  // if each process has its own device
    Watch watch = nullptr;
    const Parts* watched_by = nullptr;  // whose watch is called instead
    std::shared_ptr<const Meeting> meeting = nullptr;
    int next_tag = 0;                                // for messages to one process
    std::vector<std::weak_ptr<Parts>> besides = {};  // these end with this one
};

struct Group::Pending::Work {
    // Sends a copy of the tensor if gloo, which sends CPU tensors, cannot; copies the result back.
    void copy_for_gloo() {
        if (!sent.front().is_cpu() || !sent.front().is_contiguous()) {
            result = std::exchange(sent.front(), sent.front().cpu().contiguous());
        }
    }

    Parts& parts;
    const char* what;
    c10::intrusive_ptr<c10d::Work> work;
    std::vector<at::Tensor> sent;          // kept until the end
    std::chrono::milliseconds limit = {};  // limit of wait(); 0: gloo's
    at::Tensor result = {};                // (optional) gets a copy of the sent tensor
    std::function<void()> then = nullptr;  // (optional) called at the end
};

Group::Pending::Pending() = default;
Group::Pending::Pending(std::unique_ptr<Work> work) : work_(std::move(work)) {}
Group::Pending::Pending(Pending&&) noexcept = default;
Group::Pending& Group::Pending::operator=(Pending&&) noexcept = default;
Group::Pending::~Pending() = default;

void Group::Pending::note_end() {
    using Clock = std::chrono::steady_clock;
    if (work_) {
        ended_at_ = std::make_shared<std::atomic<Clock::time_point>>(Clock::now());
        work_->work->getFuture()->addCallback(
            [ended_at = ended_at_](c10::ivalue::Future&) { *ended_at = Clock::now(); });
    }
}

std::chrono::steady_clock::time_point Group::Pending::ended_at() const {
    return ended_at_ ? ended_at_->load() : std::chrono::steady_clock::time_point();
}

void Group::Pending::wait() {
    const std::unique_ptr<Work> work = std::move(work_);
    if (!work) {
        return;
    }
    work->parts.watched(work->what, [&] { return work->work->wait(work->limit); });
    if (work->result.defined()) {
        work->result.copy_(work->sent.front());
    }
    if (work->then) {
        work->then();
    }
    const bool ends_here = work->then != nullptr || work->limit.count() > 0;  // not with a callback
    if (ended_at_ && ends_here) {
        *ended_at_ = std::chrono::steady_clock::now();
    }
}

Group::Group(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}
Group::~Group() = default;

std::unique_ptr<Group> Group::beside(const std::string& name) {
    constexpr const char* kWhat = "another connection of all processes";
    auto made = parts_->watched(kWhat, [&] {
        return std::make_shared<Parts>(parts_->place, parts_->store, parts_->timeout, name);
    });
    made->watched_by = parts_.get();
    parts_->besides.push_back(made);
    std::unique_ptr<Group> group(new Group(std::move(made)));
    group->barrier(kWhat);  // connects each with each
    return group;
}

std::unique_ptr<Group> Group::join(const distributed::Place& place,
                                   std::chrono::milliseconds timeout,
                                   std::chrono::milliseconds set_up) {
    std::signal(SIGPIPE, SIG_IGN);  // gloo writes to processes that may have ended
    auto meeting = std::make_shared<const Meeting>(place, set_up);
    try {
        auto parts = std::make_shared<Parts>(place, meeting->store(), timeout, "gloo");
        parts->meeting = std::move(meeting);
        return std::unique_ptr<Group>(new Group(std::move(parts)));
    } catch (const std::exception& error) {
        throw WithFix<RunError>(
            kPeerLost, {fmt::format("rank {} of {} on {}: cannot connect with the other processes "
                                    "within {} s: {}",
                                    place.rank, place.size, place.host, in_seconds(timeout),
                                    meeting->cause_of(error)),
                        kFixOfLoss});
    }
}

const distributed::Place& Group::place() const {
    return parts_->place;
}

std::chrono::milliseconds Group::timeout() const {
    return parts_->timeout;
}

Group::Pending Group::begin_sum(const at::Tensor& tensor, const char* what) {
    if (tensor.numel() == 0) {
        return {};
    }
    auto work = std::make_unique<Pending::Work>(Pending::Work{*parts_, what, {}, {tensor}});
    if (tensor.is_cuda() && tensor.is_contiguous() && parts_->device_sum) {
        work->limit = parts_->timeout;
        work->work = parts_->watched(what, [&] { return parts_->device_sum(work->sent); });
        return Pending(std::move(work));
    }
    work->copy_for_gloo();
    work->work = parts_->watched(what, [&] { return parts_->gloo->allreduce(work->sent, {}); });
    return Pending(std::move(work));
}

Group::Devices Group::connect_devices(at::Device device) {
    if (!has_device_sums() || device.is_cpu()) {
        return {};
    }
    constexpr const char* kWhat = "the connection of the devices";
    const std::vector<std::string> ids = gather(device_id(device), kWhat);
    const std::string different = std::to_string(std::set(ids.begin(), ids.end()).size());
    const std::size_t count = std::stoul(share(different, kWhat));
    const Devices devices = {.are_own = count == size(), .count = count};
    if (devices.are_own) {
        parts_->device_sum = parts_->watched(kWhat, [&] {
            return engine::connect_devices(
                c10::make_intrusive<c10d::PrefixStore>(parts_->name + "/devices", parts_->store),
                {parts_->place.rank, parts_->place.size, device,
                 std::max<std::chrono::milliseconds>(parts_->timeout, kMinConnecting),
                 parts_->timeout});
        });
    }
    return devices;
}

// Each process sums one part of the tensor, which all send to it, and sends the sum to all. gloo
// has no bfloat16, but bytes.
Group::Pending Group::begin_rounded_sum(const at::Tensor& tensor, const char* what) {
    const auto ranks = static_cast<std::int64_t>(size());
    const std::int64_t part = (tensor.numel() + ranks - 1) / ranks;
    at::Tensor rounded = at::zeros({ranks * part}, at::kBFloat16);
    rounded.narrow(0, 0, tensor.numel()).copy_(tensor.view({-1}));
    auto work = std::make_unique<Pending::Work>(Pending::Work{*parts_, what, {}, {}});
    work->sent = {at::empty({ranks, part * 2}, at::kByte),
                  rounded.view(at::kByte).view({ranks, -1})};
    std::vector<std::int64_t> equal;
    work->work = parts_->watched(what, [&] {
        return parts_->gloo->alltoall_base(work->sent[0], work->sent[1], equal, equal);
    });
    work->then = [this, tensor, part, what, received = work->sent[0]] {
        const at::Tensor parts = received.view(at::kBFloat16).view({-1, part});
        std::vector<at::Tensor> sum = {
            parts.to(at::kFloat).sum(0).to(at::kBFloat16).view(at::kByte)};
        std::vector<std::vector<at::Tensor>> sums(1);
        for (std::uint64_t rank = 0; rank < size(); ++rank) {
            sums.front().push_back(at::empty_like(sum.front()));
        }
        parts_->watched(what, [&] { return parts_->gloo->allgather(sums, sum)->wait(); });
        tensor.view({-1}).copy_(
            at::cat(sums.front()).view(at::kBFloat16).narrow(0, 0, tensor.numel()));
    };
    return Pending(std::move(work));
}

void Group::broadcast(const at::Tensor& tensor, const char* what, std::uint64_t from) {
    if (tensor.numel() == 0) {
        return;
    }
    auto work = std::make_unique<Pending::Work>(Pending::Work{*parts_, what, {}, {tensor}});
    work->copy_for_gloo();
    c10d::BroadcastOptions options;
    options.rootRank = static_cast<std::int64_t>(from);
    work->work =
        parts_->watched(what, [&] { return parts_->gloo->broadcast(work->sent, options); });
    Pending(std::move(work)).wait();
}

void Group::broadcast_beside(const at::Tensor& tensor, const char* what) {
    std::vector<at::Tensor> sent = {tensor};
    try {
        parts_->gloo->broadcast(sent, {})->wait();
    } catch (const std::exception& error) {
        parts_->refuse(what, error);
    }
}

std::vector<at::Tensor> Group::Gathering::wait() {
    for (Pending& each : pending_) {
        each.wait();
    }
    pending_.clear();
    return std::move(parts_);
}

Group::Gathering Group::begin_gather(const at::Tensor& bytes,
                                     const std::vector<std::int64_t>& sizes, const char* what) {
    Gathering gathering;
    const int tag = parts_->next_tag++;
    const auto begin = [&](at::Tensor tensor, auto transfer) {
        auto work =
            std::make_unique<Pending::Work>(Pending::Work{*parts_, what, {}, {std::move(tensor)}});
        work->work = parts_->watched(what, [&] { return transfer(work->sent); });
        gathering.pending_.emplace_back(std::move(work));
    };
    if (!is_first()) {
        if (bytes.numel() > 0) {
            begin(bytes,
                  [&](std::vector<at::Tensor>& sent) { return parts_->gloo->send(sent, 0, tag); });
        }
        return gathering;
    }
    gathering.parts_.push_back(bytes);
    for (std::size_t from = 1; from < sizes.size(); ++from) {
        gathering.parts_.push_back(at::empty({sizes[from]}, at::kByte));
        if (sizes[from] > 0) {
            begin(gathering.parts_.back(), [&](std::vector<at::Tensor>& received) {
                return parts_->gloo->recv(received, static_cast<int>(from), tag);
            });
        }
    }
    return gathering;
}

std::vector<std::string> Group::gather(const std::string& text, const char* what) {
    const at::Tensor numbers = at::zeros({static_cast<std::int64_t>(size())}, at::kLong);
    numbers.data_ptr<std::int64_t>()[rank()] = static_cast<std::int64_t>(text.size());
    sum(numbers, what);
    const std::vector<std::int64_t> sizes(numbers.data_ptr<std::int64_t>(),
                                          numbers.data_ptr<std::int64_t>() + numbers.numel());
    return transformed(begin_gather(text_bytes(text), sizes, what).wait(),
                       [](const at::Tensor& part) { return text_from(part); });
}

std::string Group::share(const std::string& text, const char* what) {
    const at::Tensor size = at::empty({1}, at::kLong);
    *size.data_ptr<std::int64_t>() = static_cast<std::int64_t>(text.size());
    broadcast(size, what);
    at::Tensor bytes =
        is_first() ? text_bytes(text) : at::empty({*size.data_ptr<std::int64_t>()}, at::kByte);
    broadcast(bytes, what);
    return text_from(bytes);
}

void Group::barrier(const char* what) {
    sum(at::zeros({1}, at::kLong), what);
}

c10::intrusive_ptr<RankStore> Group::store() const {
    return parts_->store->another();
}

// Works on a separate thread, because current operations may have to end first.
void Group::abandon() {
    std::vector<std::shared_ptr<Parts>> all = {parts_};
    for (const std::weak_ptr<Parts>& each : parts_->besides) {
        all.push_back(each.lock());
    }
    for (const std::shared_ptr<Parts>& parts : all) {
        if (parts != nullptr) {
            std::thread([gloo = std::exchange(parts->gloo, {}),
                         device_sum = std::exchange(parts->device_sum, {})]() mutable {
                gloo.reset();
                device_sum = nullptr;
            }).detach();
        }
    }
}

void Group::watch(Watch watch) {
    parts_->watch = std::move(watch);
}

}  // namespace ptp::engine
