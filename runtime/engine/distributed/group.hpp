// The processes that train together, and what they do in common. All of them must begin the same
// collectives in the same order. A single process has no group.

#pragma once

#include "distributed/place.hpp"
#include "engine/distributed/board.hpp"

#include <ATen/core/Tensor.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// [main] By libtorch's c10d: its store, and gloo; NCCL sums what is on CUDA devices where each
// process has one of its own. A collective that another process does not take part in within the
// timeout, because it has ended, hangs or cannot be reached, throws RunError (kTrainingError) that
// names the collective; the group is of no use after that.
class Group {
public:
    // Finds the others and connects with them; `set_up` is how long that may take. Throws RunError.
    // The process ignores SIGPIPE from then on.
    static std::unique_ptr<Group> join(const distributed::Place& place,
                                       std::chrono::milliseconds timeout,
                                       std::chrono::milliseconds set_up);
    // Another one of the same processes, whose collectives are apart from those of this one, which
    // must outlive it. All of them call it. Throws RunError.
    std::unique_ptr<Group> beside(const std::string& name);
    ~Group();
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    [[nodiscard]] std::uint64_t rank() const;
    [[nodiscard]] std::uint64_t size() const;
    [[nodiscard]] bool is_first() const { return rank() == 0; }
    [[nodiscard]] const distributed::Place& place() const;
    [[nodiscard]] std::chrono::milliseconds timeout() const;  // of a collective

    // A collective that has begun. Its tensor is not to be touched before wait().
    class Pending {
    public:
        struct Work;

        Pending();
        explicit Pending(std::unique_ptr<Work> work);
        Pending(Pending&&) noexcept;
        Pending& operator=(Pending&&) noexcept;
        ~Pending();

        // Once at most; nothing happens where nothing has begun.
        void wait();

        // From now on it notes when it ends; after wait(): when that was. One of several parts ends
        // with the last of them.
        void note_end();
        [[nodiscard]] std::chrono::steady_clock::time_point ended_at() const;

    private:
        std::unique_ptr<Work> work_;
        std::shared_ptr<std::atomic<std::chrono::steady_clock::time_point>> ended_at_;
    };

    // `tensor` becomes the sum of those of all; it has the same bits everywhere, and each time.
    Pending begin_sum(const at::Tensor& tensor, const char* what);
    void sum(const at::Tensor& tensor, const char* what) { begin_sum(tensor, what).wait(); }

    // The same of a float32 tensor, sent as bfloat16: half the bytes, and each part and the sum are
    // rounded.
    Pending begin_rounded_sum(const at::Tensor& tensor, const char* what);

    // `tensor` becomes that of `from`.
    void broadcast(const at::Tensor& tensor, const char* what, std::uint64_t from = 0);
    // In rank 0 the same from rank 0, on another thread, while the main one does something else.
    // Those who watch are not called.
    void broadcast_beside(const at::Tensor& tensor, const char* what);

    // Rank 0 gets the bytes of all, which are 1-dimensional tensors, by their ranks; the others get
    // none. `sizes` are their numbers of bytes, the same list in each process.
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

    // Rank 0 gets the tensor of `from`, and has one of the same size and type. All call it.
    void transfer(const at::Tensor& tensor, std::uint64_t from, const char* what);

    // The same where no process knows the sizes yet.
    std::vector<std::string> gather(const std::string& text, const char* what);

    // The text of rank 0.
    std::string share(const std::string& text, const char* what);

    // Has NCCL sum what is on `device`, if each process has a device of its own. All call it,
    // before the first such sum. It may take 60 s, or the timeout where that is longer. Throws
    // RunError.
    struct Devices {
        bool are_own = false;
        std::size_t count = 0;  // different ones; 0: unknown, or none
    };
    Devices connect_devices(at::Device device);

    // Returns when all have called it.
    void barrier(const char* what);

    // Where they leave each other texts, also where a collective has failed. It outlives the group.
    [[nodiscard]] Board board() const;

    // Closes the connections, so that the others notice; the group is of no use after that.
    void abandon();

    // Called before and after each collective that is begun or waited for, with its name.
    using Watch = std::function<void(const char* what, bool is_over)>;
    void watch(Watch watch);

private:
    class Parts;
    explicit Group(std::shared_ptr<Parts> parts);

    std::shared_ptr<Parts> parts_;
};

}  // namespace ptp::engine
