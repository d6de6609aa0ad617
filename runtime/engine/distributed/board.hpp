// Short texts that the processes of a training leave for each other in the store where they met;
// also usable after a failed collective.

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

// Opens the common store of the processes: hosts it, or connects with its host within the limit,
// which also applies to each call. Throws std::exception.
c10::intrusive_ptr<c10d::Store> open_store(const distributed::Place& place, bool is_host,
                                           std::chrono::milliseconds limit);

// [any] The store may have ended or hang with its process: no call exceeds its limit by much, and
// none throws.
class Board {
public:
    explicit Board(std::shared_ptr<c10d::Store> store) : store_(std::move(store)) {}

    // Opens a separate connection. Returns nullopt if there is none within the limit.
    static std::optional<Board> open(const distributed::Place& place,
                                     std::chrono::milliseconds limit);

    // Returns whether the text was stored within the limit.
    bool put(const std::string& key, const std::string& text, std::chrono::milliseconds limit);

    // Returns the text of each key, nullopt if there is none; nullopt if the store does not answer.
    [[nodiscard]] std::optional<std::vector<std::optional<std::string>>> read(
        const std::vector<std::string>& keys, std::chrono::milliseconds limit) const;

private:
    std::shared_ptr<c10d::Store> store_;
};

}  // namespace ptp::engine
