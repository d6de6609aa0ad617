// The processes that train together, and their collectives, which all must begin in the same order.
// A single process has no group.

#pragma once

#include "distributed/place.hpp"
#include "engine/distributed/rank_store.hpp"

#include <ATen/core/Tensor.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ptp::engine {

// [main] Uses libtorch's c10d: its store, and gloo; NCCL sums tensors on CUDA devices if each
// process has its own. A collective that another process does not join within the timeout, because
// it has ended, hangs or is unreachable, throws RunError (kTrainingError) that names the
// collective; the group is unusable after that.
class Group {
public:
    // Finds the others and connects with them within `set_up`. Throws RunError. The process ignores
    // SIGPIPE from then on.
    static std::unique_ptr<Group> join(const distributed::Place& place,
                                       std::chrono::milliseconds timeout,
                                       std::chrono::milliseconds set_up);
    // Makes another group of the same processes, with separate collectives, which this one must
    // outlive. All of them call it. Throws RunError.
    std::unique_ptr<Group> beside(const std::string& name);
    ~Group();
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    [[nodiscard]] std::uint64_t rank() const { return static_cast<std::uint64_t>(place().rank); }
    [[nodiscard]] std::uint64_t size() const { return static_cast<std::uint64_t>(place().size); }
    [[nodiscard]] bool is_first() const { return rank() == 0; }
    [[nodiscard]] const distributed::Place& place() const;
    [[nodiscard]] std::chrono::milliseconds timeout() const;  // of a collective

    // A collective that has begun. Its tensor must not be accessed before wait().
    class Pending {
    public:
        struct Work;

        Pending();
        explicit Pending(std::unique_ptr<Work> work);
        Pending(Pending&&) noexcept;
        Pending& operator=(Pending&&) noexcept;
        ~Pending();

        // Called at most once; does nothing if nothing has begun.
        void wait();

        // Notes its end from now on; after wait(), ended_at() returns it. Several parts end with
        // the last of them.
        void note_end();
        [[nodiscard]] std::chrono::steady_clock::time_point ended_at() const;

    private:
        std::unique_ptr<Work> work_;
        std::shared_ptr<std::atomic<std::chrono::steady_clock::time_point>> ended_at_;
    };

    // Sets `tensor` to the sum of all; it has the same bits in each process and each time.
    Pending begin_sum(const at::Tensor& tensor, const char* what);
    void sum(const at::Tensor& tensor, const char* what) { begin_sum(tensor, what).wait(); }

    // Does the same with a float32 tensor, sent as bfloat16: half the bytes, and each part and the
    // sum are rounded.
    Pending begin_rounded_sum(const at::Tensor& tensor, const char* what);

    // Sets `tensor` to that of `from`.
    void broadcast(const at::Tensor& tensor, const char* what, std::uint64_t from = 0);
    // Broadcasts from rank 0, where it is called on another thread than the main one, which works
    // on something else. The watch is not called.
    void broadcast_beside(const at::Tensor& tensor, const char* what);

    // Sends the bytes of all, as 1-dimensional tensors, to rank 0, by rank; the others get none.
    // `sizes` are their numbers of bytes, the same list in each process.
    class Gathering {
    public:
        std::vector<at::Tensor> wait();

    private:
        friend class Group;
        std::vector<at::Tensor> parts_;
        std::vector<Pending> pending_;
    };
    Gathering begin_gather(const at::Tensor& bytes, const std::vector<std::int64_t>& sizes,
                           const char* what);

    // Returns the texts of all in rank 0, by rank, and none in the others.
    std::vector<std::string> gather(const std::string& text, const char* what);

    // Returns the text of rank 0.
    std::string share(const std::string& text, const char* what);

    // Makes NCCL sum tensors on `device`, if each process has its own device. Called by all, before
    // the first such sum. It may take 60 s, or the timeout if that is longer. Throws RunError.
    struct Devices {
        bool are_own = false;
        std::size_t count = 0;  // number of different ones; 0: unknown, or none
    };
    Devices connect_devices(at::Device device);

    // Returns when all have called it.
    void barrier(const char* what);

    // Returns another connection with their store, for texts after a failed collective. It outlives
    // the group.
    [[nodiscard]] c10::intrusive_ptr<RankStore> store() const;

    // Closes the connections, so that the others notice; the group is unusable after that.
    void abandon();

    // Called before and after each collective is begun or waited for, with its name.
    using Watch = std::function<void(const char* what, bool is_over)>;
    void watch(Watch watch);

private:
    class Parts;
    explicit Group(std::shared_ptr<Parts> parts);

    std::shared_ptr<Parts> parts_;
};

}  // namespace ptp::engine
