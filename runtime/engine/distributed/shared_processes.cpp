// The collective of several processes: what each of them sends to the others, and receives.

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "distributed/secret.hpp"
#include "engine/component/batch_cut.hpp"
#include "engine/component/components.hpp"
#include "engine/distributed/collective.hpp"
#include "engine/distributed/flat_tensors.hpp"
#include "engine/distributed/long_work.hpp"
#include "engine/distributed/meeting.hpp"
#include "engine/distributed/observed_values.hpp"
#include "engine/distributed/pass_sums.hpp"
#include "engine/distributed/rank_watch.hpp"
#include "engine/distributed/share.hpp"
#include "engine/distributed/shared_whole_batch.hpp"
#include "engine/distributed/synchronized_batch_norm.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/GradMode.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <optional>
#include <utility>

namespace ptp::engine {

namespace {

// Each has its own number in the exchange, so that several signals do not mix.
constexpr std::array kExchangedSignals = {Signals::kStopCall, SIGINT, SIGTERM, SIGHUP, SIGUSR1};
constexpr std::size_t kOtherNotes = 4;
constexpr std::size_t kNumbersOfNotes = kOtherNotes + kExchangedSignals.size();

at::Tensor tensor_of(std::vector<double>& numbers) {
    return at::from_blob(numbers.data(), {static_cast<std::int64_t>(numbers.size())}, at::kDouble);
}

// This process's samples are part of means and variances, or compared with those of others, and
// therefore part of gradients of other processes' losses, which only a backward pass can compute.
[[noreturn]] void refuse_constant_losses(bool is_synchronized) {
    throw WithFix<RunError>(
        kTrainingError,
        {fmt::format("{}in this process's part of the batch no loss depends on the weights, so "
                     "that the gradients of {} would be wrong",
                     is_synchronized ? "distributed.buffers = \"synchronized\": " : "",
                     is_synchronized ? "layers before a batch normalization"
                                     : "what is compared with the samples of other processes"),
         fmt::format("let a loss for which nothing counts be computed from the predictions all the "
                     "same, as their sum times 0, or {}",
                     is_synchronized ? "take buffers = \"first\"" : "train in one process")});
}

void warn_of_open_store(const distributed::Place& place, spdlog::logger& log) {
    if (place.is_first() && !place.is_one_host() && place.secret.empty() &&
        distributed::secret_of_user().empty()) {
        log.warn(fmt::format(
            "the processes share no secret: any program that reaches {}:{} can take part in the "
            "training; set {} to the same text in all of them (it is not set, and there is no home "
            "folder in which a secret could be kept)",
            place.address, place.port, distributed::kSecretVariable));
    }
}

// Reports how the gradients are summed if they are on CUDA devices.
void report_devices(const Group::Devices& devices, std::uint64_t processes, bool is_compressed,
                    spdlog::logger& log) {
    if (devices.are_own && is_compressed) {
        log.info("gloo sums the gradients, as bfloat16, in the memory of the CPU");
    } else if (devices.are_own) {
        log.info(fmt::format("NCCL sums the gradients of {} CUDA devices", devices.count));
    } else if (devices.count == 0) {
        log.info(
            "gloo sums the gradients, in the memory of the CPU: this build of ptp has no NCCL");
    } else {
        log.warn(fmt::format(
            "{} processes share {} CUDA device{}; one process at a time computes on a device, and "
            "gloo sums the gradients, in the memory of the CPU; as many processes as devices are "
            "faster",
            processes, devices.count, devices.count == 1 ? "" : "s"));
    }
}

class SharedProcesses final : public Collective {
public:
    explicit SharedProcesses(std::unique_ptr<Group> group) : group_(std::move(group)) {}

    [[nodiscard]] std::uint64_t rank() const override { return group_->rank(); }
    [[nodiscard]] std::uint64_t size() const override { return group_->size(); }
    [[nodiscard]] std::string name() const override {
        return fmt::format("rank {} of {} on {}", rank(), size(), group_->place().host);
    }
    [[nodiscard]] Group* group() const override { return group_.get(); }
    [[nodiscard]] std::uint64_t least_share() const override { return batch_norm_ ? 2 : 1; }
    void watch(const std::filesystem::path& run_folder) override {
        watch_.emplace(*group_, run_folder);
    }
    [[nodiscard]] RunError explained(const RunError& error) override {
        return watch_ ? watch_->explained(error) : error;
    }
    void start(at::Device device, bool is_compressed, spdlog::logger& log) override {
        group_->barrier("the start");
        warn_of_open_store(group_->place(), log);
        if (!device.is_cpu()) {
            report_devices(group_->connect_devices(device), size(), is_compressed, log);
        }
    }
    void begin(const SharedTraining& training) override {
        training_.emplace(training);
        training.executor.watch(watch_->state());
        watch_->profile(training.profiler);
        rebind(training.components);
    }
    // Closes the connections of the synchronized layers, so that other processes notice.
    void end() override {
        if (whole_batch_) {
            training_->executor.gather_with(nullptr);
        }
        static_cast<void>(std::exchange(gathering_, {}));
        batch_norm_.reset();
        whole_batch_.reset();
        pass_sums_.reset();
        buffers_ = Buffers(Components{});
        training_.reset();
    }
    void rebind(const Components& components) override {
        buffers_ = Buffers(components);
        streams_ = observed_streams(components);
        make_pass_sums(components);
        name_layers(components);
    }
    void align(const Components& components) override {
        std::vector<at::Tensor> tensors;
        for (const std::shared_ptr<Instance>& node : components.nodes) {
            for (const NamedTensor& named : node->tensors()) {
                tensors.push_back(named.tensor);
            }
        }
        broadcast_all(*group_, tensors, "the broadcast of the weights");
    }
    void enter(distributed::Phase phase) override { watch_->state().enter(phase); }
    void begin_episode(std::uint64_t episode) override {
        watch_->state().begin_episode(static_cast<std::int64_t>(episode));
    }
    void share_buffers() override {
        if (training_->options.buffers == experiment::SharedBuffers::kFirst ||
            training_->options.buffers == experiment::SharedBuffers::kSynchronized) {
            broadcast_all(*group_, buffers_.tensors(), "the broadcast of the buffers");
        }
    }
    void after_step(std::uint64_t samples) override {
        if (training_->options.buffers == experiment::SharedBuffers::kMean) {
            average_all(*group_, buffers_.tensors(), static_cast<double>(samples),
                        "the mean of the buffers");
        }
    }
    void forward_pass(const BatchShare& share, std::uint64_t samples, Work work) override {
        has_samples_ = samples > 0;
        if (whole_batch_) {
            whole_batch_->begin(share);
        }
        run_pass(samples > 0, share.whole >= group_->size() * least_share(), work);
    }
    void backward_pass(bool has_loss, Work work) override {
        run_pass(has_loss, all_have_losses_, work);
        if (pass_sums_ && !has_loss && has_samples_ && pass_sums_->place_count() > 0) {
            refuse_constant_losses(batch_norm_ != nullptr);
        }
    }
    void exchange(SharedValues& values, const Frame& frame) override {
        Group& group = *group_;
        static_cast<void>(gathering_.wait());  // a batch that was not observed
        const BatchShare& share = frame.samples().share;
        counts_.clear();
        for (std::uint64_t rank = 0; rank < group.size(); ++rank) {
            counts_.push_back(share_of(share.whole, rank, group.size(), least_share()).count);
        }
        at::Tensor bytes = at::empty({0}, at::kByte);
        if (share.count > 0 && !streams_.empty()) {
            bytes = packed_values(frame, streams_);
        }
        std::vector<double> numbers = values.own_sums();
        const std::size_t sum_count = numbers.size();
        lacks_loss_ = pass_sums_ && c10::GradMode::is_enabled() && values.lacks_loss(frame);
        numbers.resize(sum_count + group.size());
        numbers[sum_count + group.rank()] = static_cast<double>(bytes.numel());
        numbers = exchange_numbers(std::move(numbers));
        values.take_sums(std::span(numbers).first(sum_count));
        std::vector<std::int64_t> sizes;
        for (const double size : std::span(numbers).subspan(sum_count)) {
            sizes.push_back(static_cast<std::int64_t>(size));
        }
        gathering_ = group.begin_gather(bytes, sizes, "the gathering of observed streams");
    }
    void exchange() override { static_cast<void>(exchange_numbers({})); }
    [[nodiscard]] at::Tensor own_loss(const SharedValues& values,
                                      const Frame& frame) const override {
        return values.loss_of_share(frame);
    }
    void observe(Executor& executor, Frame& frame, const ptp_step& step) override {
        const std::vector<at::Tensor> parts = gathering_.wait();
        if (!group_->is_first()) {
            return;
        }
        ptp_step whole = step;
        whole.batch_size = frame.samples().share.whole;
        const WholeValues values(training_->plan, streams_, parts, counts_, frame);
        executor.observe_whole(whole);
    }
    [[nodiscard]] bool observes_late() const override { return true; }
    [[nodiscard]] RankNotes agreed() const override { return agreed_; }
    [[nodiscard]] bool has_request() const override { return has_request_; }
    [[nodiscard]] int take_signal() const override {
        if (agreed_.signal != 0 && Signals::received() == 0) {
            Signals::receive(agreed_.signal);
        }
        return agreed_.signal;
    }
    void in_first(const char* what, Work work, spdlog::logger& log) override {
        Patience patience = Patience::of(*group_);
        patience.warn = [&log](const std::string& text) { log.warn(text); };
        work_in_first(*group_, what, work, patience);
    }
    void barrier(const char* what) override { group_->barrier(what); }
    [[nodiscard]] std::string from_first(const char* what, Text make) override {
        return group_->share(is_first() ? make() : std::string(), what);
    }
    [[nodiscard]] std::vector<std::string> from_others(const char* what, Text make) override {
        std::vector<std::string> texts = group_->gather(is_first() ? std::string() : make(), what);
        if (is_first()) {
            texts.erase(texts.begin());
        }
        return texts;
    }
    void sum(std::vector<double>& numbers, const char* what) override {
        group_->sum(tensor_of(numbers), what);
    }
    void broadcast(std::vector<double>& numbers, const char* what) override {
        group_->broadcast(tensor_of(numbers), what);
    }

private:
    // Makes what sums within passes, in each process before the same batch.
    void make_pass_sums(const Components& components) {
        const bool is_synchronized =
            training_->options.buffers == experiment::SharedBuffers::kSynchronized;
        std::vector<std::string> askers;
        for (const std::shared_ptr<Instance>& node : components.nodes) {
            if (node->sees_whole_batch()) {
                askers.push_back(node->node().name);
            }
        }
        if (!pass_sums_ && (is_synchronized || !askers.empty())) {
            pass_sums_ = std::make_unique<PassSums>(*group_);
        }
        if (!batch_norm_ && is_synchronized) {
            batch_norm_ = std::make_unique<SynchronizedBatchNorm>(*pass_sums_);
        }
        if (!whole_batch_ && !askers.empty()) {
            whole_batch_ = std::make_unique<SharedWholeBatch>(*pass_sums_);
            training_->executor.gather_with(whole_batch_.get());
        }
        if (whole_batch_) {
            whole_batch_->know(std::move(askers));
        }
    }
    void run_pass(bool takes_part, bool all_take_part, Work work) {
        if (batch_norm_) {
            batch_norm_->run(takes_part, all_take_part, work);
        } else if (pass_sums_) {
            pass_sums_->run(takes_part, all_take_part, work);
        } else {
            work();
        }
    }
    void name_layers(const Components& components) {
        if (!batch_norm_) {
            return;
        }
        std::vector<SynchronizedBatchNorm::Named> tensors;
        for (const std::shared_ptr<Instance>& node : components.nodes) {
            for (const NamedTensor& named : node->tensors()) {
                tensors.push_back({node->node().name + ": " + named.name, named.tensor});
            }
        }
        batch_norm_->know(tensors);
    }
    std::vector<double> exchange_numbers(std::vector<double> numbers) {
        add_notes(numbers);
        group_->sum(tensor_of(numbers), "the exchange of losses");
        take_notes(numbers);
        return numbers;
    }
    void add_notes(std::vector<double>& numbers) const {
        const RankNotes notes = own_notes();
        numbers.push_back(is_first() ? notes.seconds : 0);
        numbers.push_back(is_first() && notes.is_checkpoint_due ? 1 : 0);
        numbers.push_back(has_own_request() ? 1 : 0);
        numbers.push_back(lacks_loss_ ? 1 : 0);
        for (const int signal : kExchangedSignals) {
            numbers.push_back(notes.signal == signal ? 1 : 0);
        }
    }
    void take_notes(std::vector<double>& numbers) {
        const std::span<const double> notes = std::span(numbers).last(kNumbersOfNotes);
        agreed_ = {notes[0], notes[1] > 0, 0};
        has_request_ = notes[2] > 0;
        all_have_losses_ = notes[3] == 0;
        for (std::size_t i = 0; i < kExchangedSignals.size(); ++i) {
            if (notes[kOtherNotes + i] > 0) {
                agreed_.signal = kExchangedSignals[i];
            }
        }
        numbers.resize(numbers.size() - kNumbersOfNotes);
    }

    std::unique_ptr<Group> group_;
    std::optional<RankWatch> watch_;
    std::optional<SharedTraining> training_;
    Buffers buffers_{Components{}};
    std::vector<int> streams_;                           // the observed ones
    std::unique_ptr<PassSums> pass_sums_;                // nullptr if nothing sums within a pass
    std::unique_ptr<SynchronizedBatchNorm> batch_norm_;  // nullptr if none is synchronized
    std::unique_ptr<SharedWholeBatch> whole_batch_;      // nullptr if no component gathers
    bool has_samples_ = false;                           // this process, in the current batch
    bool lacks_loss_ = false;  // no loss of the current batch depends on weights
    bool all_have_losses_ = true;
    RankNotes agreed_;
    bool has_request_ = false;  // one of all
    Group::Gathering gathering_;
    std::vector<std::uint64_t> counts_;  // samples of the batch, by rank
};

}  // namespace

std::unique_ptr<Collective> join_processes(const distributed::Place& place,
                                           const experiment::Distributing& options) {
    if (place.is_one()) {
        return std::make_unique<Collective>();
    }
    const auto timeout = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::duration<double>(options.timeout.seconds));
    return std::make_unique<SharedProcesses>(
        Group::join(place, timeout, std::max<std::chrono::milliseconds>(timeout, kMinConnecting)));
}

}  // namespace ptp::engine
