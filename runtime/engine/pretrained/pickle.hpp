// The content of a Python pickle, as a tree of values. Nothing is called and nothing but these
// values is made: a pickle that names anything not on the reader's list is refused.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::engine {

// The error in a file of PyTorch, as a part of a sentence about it: "ends too early".
class PickleError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

enum class PickleKind : std::uint8_t {
    kNone,
    kBool,
    kInteger,
    kReal,
    kText,    // also bytes
    kList,    // also a tuple or a set
    kDict,    // items: a key, its value, the next key, ...
    kGlobal,  // text: "collections.OrderedDict"
    kCall,    // items: the global that would be called and the list of its arguments
    kOutside  // items: one value, which identifies data that PyTorch stores elsewhere
};

struct PickleValue {
    PickleKind kind = PickleKind::kNone;
    std::int64_t integer = 0;
    double real = 0;
    std::string text;
    std::vector<const PickleValue*> items;

    // Returns whether it is a call of this global.
    [[nodiscard]] bool calls(std::string_view global) const;
};

// The values, which exist as long as this object; they may refer to each other in cycles.
class Pickle {
public:
    // Reads one pickle from the beginning of `bytes`, and nothing after its end. A call of
    // `collections.OrderedDict` becomes the dictionary itself, without its attributes. Throws
    // PickleError.
    Pickle(std::string_view bytes, const std::set<std::string_view>& allowed_globals);
    ~Pickle() = default;
    Pickle(const Pickle&) = delete;
    Pickle& operator=(const Pickle&) = delete;
    Pickle(Pickle&&) noexcept = default;
    Pickle& operator=(Pickle&&) = delete;

    [[nodiscard]] const PickleValue& root() const { return *root_; }
    [[nodiscard]] std::size_t size() const { return size_; }  // bytes read
    // Returns all values of the kind kOutside.
    [[nodiscard]] const std::vector<const PickleValue*>& outside() const { return outside_; }

private:
    friend class PickleReader;
    std::deque<PickleValue> values_;
    std::vector<const PickleValue*> outside_;
    const PickleValue* root_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace ptp::engine
