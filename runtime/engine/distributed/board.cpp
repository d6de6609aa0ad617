// Calls the store on threads that are abandoned when a limit is exceeded.

#include "engine/distributed/board.hpp"

#include "base/no_signals.hpp"
#include "distributed/secret.hpp"
#include "engine/distributed/rank_store.hpp"

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include <cstddef>

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>

namespace ptp::engine {

namespace {

using Texts = std::vector<std::optional<std::string>>;

struct Answer {
    std::mutex mutex;  // guards the other members
    std::condition_variable came;
    bool has_come = false;
    std::optional<Texts> texts;
};

// Calls on a thread that is abandoned if it exceeds the limit: a store whose process is halted does
// not answer, and libtorch does not give up either.
template <class Ask>
std::optional<Texts> within(std::chrono::milliseconds limit, Ask ask) {
    const auto answer = std::make_shared<Answer>();
    const auto work = [answer, ask = std::move(ask)] {
        std::optional<Texts> texts;
        try {
            texts = ask();
        } catch (const std::exception&) {  // The store has ended.
            texts.reset();
        }
        const std::lock_guard<std::mutex> lock(answer->mutex);
        answer->has_come = true;
        answer->texts = std::move(texts);
        answer->came.notify_one();
    };
    {
        const NoSignals inherited;
        std::thread(work).detach();
    }
    std::unique_lock<std::mutex> lock(answer->mutex);
    answer->came.wait_for(lock, limit, [&] { return answer->has_come; });
    return answer->texts;
}

}  // namespace

c10::intrusive_ptr<c10d::Store> open_store(const distributed::Place& place, bool is_host,
                                           std::chrono::milliseconds limit) {
    c10::intrusive_ptr<c10d::Store> store = open_rank_store(
        {.address = place.address,
         .port = place.port,
         .secret = place.secret.empty() ? distributed::secret_of_user() : place.secret,
         .ranks = place.size,
         .is_one_host = place.is_one_host()},
        is_host, limit);
    if (!place.store_prefix.empty()) {
        store = c10::make_intrusive<c10d::PrefixStore>(place.store_prefix, store);
    }
    store->setTimeout(limit);
    return store;
}

std::optional<Board> Board::open(const distributed::Place& place, std::chrono::milliseconds limit) {
    // Owned by the opening thread, which may be abandoned.
    const auto opened = std::make_shared<c10::intrusive_ptr<c10d::Store>>();
    const auto open = [place, limit, opened] {
        *opened = open_store(place, false, limit);
        return Texts();
    };
    if (!within(limit, open)) {
        return std::nullopt;
    }
    return Board({opened->get(), [opened](c10d::Store*) {}});
}

bool Board::put(const std::string& key, const std::string& text, std::chrono::milliseconds limit) {
    const auto put = [store = store_, key, text] {
        store->set(key, std::vector<std::uint8_t>(text.begin(), text.end()));
        return Texts();
    };
    return within(limit, put).has_value();
}

std::optional<Texts> Board::read(const std::vector<std::string>& keys,
                                 std::chrono::milliseconds limit) const {
    return within(limit, [store = store_, keys] {
        Texts texts;
        for (const std::string& key : keys) {
            std::optional<std::string>& text = texts.emplace_back();
            if (store->check({key})) {
                const std::vector<std::uint8_t> bytes = store->get(key);
                text.emplace(bytes.begin(), bytes.end());
            }
        }
        return texts;
    });
}

}  // namespace ptp::engine
