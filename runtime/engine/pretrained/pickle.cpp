// Reads a pickle without running any of its code. Supports the instructions with which protocols 2
// to 5 write containers, numbers, texts and globals; Lib/pickletools.py of Python 3.11 documents
// them.

#include "engine/pretrained/pickle.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>
#include <utility>

namespace ptp::engine {

static_assert(std::endian::native == std::endian::little, "pickles are little-endian");

// The bytes of a pickle, and the stack of values, with marks in it, on which instructions work.
// Throws PickleError instead of reading what does not exist.
class PickleReader {
public:
    using Values = std::vector<const PickleValue*>;

    PickleReader(std::string_view bytes, const std::set<std::string_view>& allowed, Pickle& made)
        : bytes_(bytes), allowed_(allowed), made_(made) {}

    void run();

    // --- bytes ---

    std::string_view take_bytes(std::uint64_t count) {
        if (count > bytes_.size() - position_) {
            throw PickleError("ends too early");
        }
        const std::string_view taken = bytes_.substr(position_, count);
        position_ += count;
        return taken;
    }

    template <class T>
    T take() {
        T value;
        std::memcpy(&value, take_bytes(sizeof(T)).data(), sizeof(T));
        return value;
    }

    std::string_view take_line() {
        const std::size_t end = bytes_.find('\n', position_);
        if (end == std::string_view::npos) {
            throw PickleError("ends too early");
        }
        const std::string_view line = take_bytes(end - position_);
        ++position_;
        return line;
    }

    // --- the stack ---

    PickleValue& push(PickleKind kind) {
        count_value(made_.values_.size());
        PickleValue& value = made_.values_.emplace_back();
        value.kind = kind;
        stack_.push_back(&value);
        return value;
    }

    [[nodiscard]] PickleValue& top() const {
        check_height(1);
        return *stack_.back();
    }

    PickleValue* pop() {
        PickleValue* value = &top();
        stack_.pop_back();
        return value;
    }

    Values pop_many(std::size_t count) {
        check_height(count);
        const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
        Values values(first, stack_.end());
        stack_.erase(first, stack_.end());
        return values;
    }

    Values pop_to_mark() {
        if (marks_.empty()) {
            throw PickleError(kNothingThere);
        }
        Values values = pop_many(stack_.size() - marks_.back());
        marks_.pop_back();
        return values;
    }

    void mark() { marks_.push_back(stack_.size()); }

    // --- instructions ---

    void push_integer(std::int64_t integer) { push(PickleKind::kInteger).integer = integer; }
    void push_text(std::uint64_t size) {
        const std::string_view text = take_bytes(size);
        push(PickleKind::kText).text = text;
    }
    void push_list(Values items) { push(PickleKind::kList).items = std::move(items); }
    void remember(std::uint32_t number) { memo_[number] = &top(); }
    void remember_next() { remember(static_cast<std::uint32_t>(memo_.size())); }

    void recall(std::uint32_t number) {
        const auto found = memo_.find(number);
        if (found == memo_.end()) {
            throw PickleError(kNothingThere);
        }
        stack_.push_back(found->second);
    }

    // Pushes a little-endian number in two's complement; one of more than 64 bits stays bytes.
    void push_long(std::string_view digits) {
        if (digits.size() > sizeof(std::int64_t)) {
            push(PickleKind::kText).text = digits;
            return;
        }
        const bool is_negative = !digits.empty() && (digits.back() & 0x80) != 0;
        std::int64_t number = is_negative ? -1 : 0;
        std::memcpy(&number, digits.data(), digits.size());
        push_integer(number);
    }

    void push_real() {
        const auto bits = __builtin_bswap64(take<std::uint64_t>());
        push(PickleKind::kReal).real = std::bit_cast<double>(bits);
    }

    void append(PickleKind kind, const Values& items) const {
        PickleValue& container = top();
        if (container.kind != kind || (kind == PickleKind::kDict && items.size() % 2 != 0)) {
            throw PickleError("puts a value into something that is not a container");
        }
        container.items.insert(container.items.end(), items.begin(), items.end());
    }

    void check_protocol() {
        if (const int protocol = take<std::uint8_t>(); protocol > 5) {
            throw PickleError(fmt::format("has the protocol {}, known are 2 to 5", protocol));
        }
    }

    void push_named_global() {
        const std::string_view module = take_line();
        push_global(module, take_line());
    }
    void push_global_of_texts() {
        const std::string name = pop()->text;
        push_global(pop()->text, name);
    }
    void push_global(std::string_view module, std::string_view name);

    void push_outside() {
        const PickleValue* id = pop();
        PickleValue& value = push(PickleKind::kOutside);
        value.items.push_back(id);
        made_.outside_.push_back(&value);
    }

    void call();

    // Ignores the attributes of a dictionary: `_metadata`, which is not needed.
    void set_attributes() {
        pop();
        if (top().kind != PickleKind::kDict) {
            throw PickleError("gives attributes to something that cannot have any");
        }
    }

    void end() { made_.root_ = pop(); }

private:
    static constexpr std::size_t kMaxValues = 4'000'000;  // a tensor takes some twenty
    static constexpr const char* kNothingThere = "takes a value where there is none";

    static void count_value(std::size_t known) {
        if (known >= kMaxValues) {
            throw PickleError("describes more values than weights need");
        }
    }

    void check_height(std::size_t count) const {
        if (stack_.size() - (marks_.empty() ? 0 : marks_.back()) < count) {
            throw PickleError(kNothingThere);
        }
    }

    std::string_view bytes_;
    const std::set<std::string_view>& allowed_;
    Pickle& made_;
    std::size_t position_ = 0;
    std::size_t copied_ = 0;  // into dictionaries, from lists that may be used repeatedly
    std::vector<PickleValue*> stack_;
    std::vector<std::size_t> marks_;  // heights of the stack
    std::unordered_map<std::uint32_t, PickleValue*> memo_;
};

namespace {

using Reader = PickleReader;
using Kind = PickleKind;

struct Instruction {
    unsigned char code;
    void (*run)(Reader& r);
};

constexpr Instruction kInstructions[] = {
    // numbers
    {'N', [](Reader& r) { r.push(Kind::kNone); }},
    {0x88, [](Reader& r) { r.push(Kind::kBool).integer = 1; }},
    {0x89, [](Reader& r) { r.push(Kind::kBool).integer = 0; }},
    {'J', [](Reader& r) { r.push_integer(r.take<std::int32_t>()); }},
    {'K', [](Reader& r) { r.push_integer(r.take<std::uint8_t>()); }},
    {'M', [](Reader& r) { r.push_integer(r.take<std::uint16_t>()); }},
    {0x8a, [](Reader& r) { r.push_long(r.take_bytes(r.take<std::uint8_t>())); }},
    {'G', [](Reader& r) { r.push_real(); }},
    // texts, strings of Python 2, and bytes
    {0x8c, [](Reader& r) { r.push_text(r.take<std::uint8_t>()); }},
    {'U', [](Reader& r) { r.push_text(r.take<std::uint8_t>()); }},
    {'C', [](Reader& r) { r.push_text(r.take<std::uint8_t>()); }},
    {'X', [](Reader& r) { r.push_text(r.take<std::uint32_t>()); }},
    {'T', [](Reader& r) { r.push_text(r.take<std::uint32_t>()); }},
    {'B', [](Reader& r) { r.push_text(r.take<std::uint32_t>()); }},
    {0x8d, [](Reader& r) { r.push_text(r.take<std::uint64_t>()); }},
    {0x8e, [](Reader& r) { r.push_text(r.take<std::uint64_t>()); }},
    // containers
    {'(', [](Reader& r) { r.mark(); }},
    {')', [](Reader& r) { r.push(Kind::kList); }},
    {']', [](Reader& r) { r.push(Kind::kList); }},
    {0x8f, [](Reader& r) { r.push(Kind::kList); }},
    {'}', [](Reader& r) { r.push(Kind::kDict); }},
    {'t', [](Reader& r) { r.push_list(r.pop_to_mark()); }},
    {0x85, [](Reader& r) { r.push_list(r.pop_many(1)); }},
    {0x86, [](Reader& r) { r.push_list(r.pop_many(2)); }},
    {0x87, [](Reader& r) { r.push_list(r.pop_many(3)); }},
    {'a', [](Reader& r) { r.append(Kind::kList, r.pop_many(1)); }},
    {'e', [](Reader& r) { r.append(Kind::kList, r.pop_to_mark()); }},
    {0x90, [](Reader& r) { r.append(Kind::kList, r.pop_to_mark()); }},
    {'s', [](Reader& r) { r.append(Kind::kDict, r.pop_many(2)); }},
    {'u', [](Reader& r) { r.append(Kind::kDict, r.pop_to_mark()); }},
    // the memo
    {'q', [](Reader& r) { r.remember(r.take<std::uint8_t>()); }},
    {'r', [](Reader& r) { r.remember(r.take<std::uint32_t>()); }},
    {0x94, [](Reader& r) { r.remember_next(); }},
    {'h', [](Reader& r) { r.recall(r.take<std::uint8_t>()); }},
    {'j', [](Reader& r) { r.recall(r.take<std::uint32_t>()); }},
    {'0', [](Reader& r) { r.pop(); }},
    // objects
    {0x80, [](Reader& r) { r.check_protocol(); }},
    {0x95, [](Reader& r) { r.take<std::uint64_t>(); }},  // the length of a frame, which follows
    {'.', [](Reader& r) { r.end(); }},
    {'c', [](Reader& r) { r.push_named_global(); }},
    {0x93, [](Reader& r) { r.push_global_of_texts(); }},
    {'R', [](Reader& r) { r.call(); }},
    {'b', [](Reader& r) { r.set_attributes(); }},
    {'Q', [](Reader& r) { r.push_outside(); }},
};

}  // namespace

void PickleReader::run() {
    while (made_.root_ == nullptr) {
        const auto code = take<unsigned char>();
        const auto* instruction = std::ranges::find(kInstructions, code, &Instruction::code);
        if (instruction == std::end(kInstructions)) {
            throw PickleError(
                fmt::format("has the instruction {:#04x}, which PyTorch does not write", code));
        }
        instruction->run(*this);
    }
    made_.size_ = position_;
}

// A model begins with its class; in a state dictionary an unknown object is inside a container.
void PickleReader::push_global(std::string_view module, std::string_view name) {
    const std::string global = fmt::format("{}.{}", module, name);
    if (allowed_.contains(global)) {
        push(PickleKind::kGlobal).text = global;
        return;
    }
    const bool is_inside = std::ranges::any_of(stack_, [](const PickleValue* value) {
        return value->kind == PickleKind::kDict || value->kind == PickleKind::kList;
    });
    constexpr const char* kHowTo =
        "in Python, torch.save(model.state_dict(), \"weights.pth\") writes one that can be";
    throw PickleError(
        is_inside
            ? fmt::format("holds a '{}'; only tensors, numbers, texts, lists and dictionaries are "
                          "read, since reading anything else would run it: {}",
                          global, kHowTo)
            : fmt::format("holds a whole object, a '{}', which is not read, since reading it would "
                          "run it: {}",
                          global, kHowTo));
}

void PickleReader::call() {
    const PickleValue* arguments = pop();
    const PickleValue* global = pop();
    if (global->kind != PickleKind::kGlobal || arguments->kind != PickleKind::kList) {
        throw PickleError("calls something that is not a function");
    }
    if (global->text != "collections.OrderedDict") {
        push(PickleKind::kCall).items = {global, arguments};
        return;
    }
    PickleValue& dict = push(PickleKind::kDict);
    if (arguments->items.empty()) {
        return;
    }
    for (const PickleValue* pair : arguments->items.front()->items) {  // as written by Python 2
        if (pair->kind != PickleKind::kList || pair->items.size() != 2) {
            throw PickleError("has a malformed dictionary");
        }
        count_value(copied_++);
        dict.items.insert(dict.items.end(), pair->items.begin(), pair->items.end());
    }
}

bool PickleValue::calls(std::string_view global) const {
    return kind == PickleKind::kCall && items.front()->text == global;
}

Pickle::Pickle(std::string_view bytes, const std::set<std::string_view>& allowed_globals) {
    PickleReader(bytes, allowed_globals, *this).run();
}

}  // namespace ptp::engine
