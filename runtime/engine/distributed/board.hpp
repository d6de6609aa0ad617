// Short texts that the processes of a training put up for each other in the store by which they
// have found each other; of use also where a collective has failed.

#pragma once

#include "distributed/place.hpp"

#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace c10d {
class Store;
}

namespace ptp::engine {

// Opens the store that the processes have in common: hosts it, or connects with its host within the
// limit, which is that of each call, too. Throws std::exception.
c10::intrusive_ptr<c10d::Store> open_store(const distributed::Place& place, bool is_host,
                                           std::chrono::milliseconds limit);

// [any] The store may have ended with its process, or hang with it: no call takes much longer than
// it may, and none throws.
class Board {
public:
    explicit Board(std::shared_ptr<c10d::Store> store) : store_(std::move(store)) {}

    // With a connection of its own; nullopt where there is none within the limit.
    static std::optional<Board> open(const distributed::Place& place,
                                     std::chrono::milliseconds limit);

    // Whether it was put up within the time.
    bool put(const std::string& key, const std::string& text, std::chrono::milliseconds limit);

    // What is there under each key, nullopt for nothing; nullopt where the store does not answer.
    [[nodiscard]] std::optional<std::vector<std::optional<std::string>>> read(
        const std::vector<std::string>& keys, std::chrono::milliseconds limit) const;

private:
    std::shared_ptr<c10d::Store> store_;
};

}  // namespace ptp::engine
