// Reads a pickle without running any of its code. Supports the instructions with which protocols 2
// to 5 write containers, numbers, texts and globals; Lib/pickletools.py of Python 3.11 documents
// them.

#include "engine/pretrained/pickle.hpp"

#include "engine/pretrained/pickle_stack.hpp"

#include <fmt/core.h>

#include <bit>
#include <cstring>
#include <unordered_map>

namespace ptp::engine {

namespace {

static_assert(std::endian::native == std::endian::little, "pickles are little-endian");

constexpr std::string_view kOrderedDict = "collections.OrderedDict";
constexpr const char* kHowTo =
    "in Python, torch.save(model.state_dict(), \"weights.pth\") writes one that can be";

}  // namespace

class PickleReader : private PickleStack {
public:
    PickleReader(std::string_view bytes, const std::set<std::string_view>& allowed, Pickle& made)
        : PickleStack(bytes, made.values_), allowed_(allowed), made_(made) {}

    void run() {
        while (made_.root_ == nullptr) {
            const auto code = take<unsigned char>();
            if (!run_number(code) && !run_text(code) && !run_container(code) && !run_memo(code) &&
                !run_object(code)) {
                throw PickleError(
                    fmt::format("has the instruction {:#04x}, which PyTorch does not "
                                "write",
                                code));
            }
        }
        made_.size_ = position();
    }

private:
    // --- instructions, by kind; they return false for those of another kind ---

    bool run_number(unsigned char code) {
        switch (code) {
            case 'N':
                push(PickleKind::kNone);
                return true;
            case 0x88:
            case 0x89:
                push(PickleKind::kBool).integer = code == 0x88 ? 1 : 0;
                return true;
            case 'J':
                push(PickleKind::kInteger).integer = take<std::int32_t>();
                return true;
            case 'K':
                push(PickleKind::kInteger).integer = take<std::uint8_t>();
                return true;
            case 'M':
                push(PickleKind::kInteger).integer = take<std::uint16_t>();
                return true;
            case 0x8a:
                push_long(take_bytes(take<std::uint8_t>()));
                return true;
            case 'G':
                push(PickleKind::kReal).real =
                    std::bit_cast<double>(__builtin_bswap64(take<std::uint64_t>()));
                return true;
            default:
                return false;
        }
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
        push(PickleKind::kInteger).integer = number;
    }

    bool run_text(unsigned char code) {
        std::uint64_t size = 0;
        switch (code) {
            case 0x8c:  // up to 255 bytes of text
            case 'U':   // a string of Python 2
            case 'C':   // bytes
                size = take<std::uint8_t>();
                break;
            case 'X':
            case 'T':
            case 'B':
                size = take<std::uint32_t>();
                break;
            case 0x8d:
            case 0x8e:
                size = take<std::uint64_t>();
                break;
            default:
                return false;
        }
        const std::string_view text = take_bytes(size);
        push(PickleKind::kText).text = text;
        return true;
    }

    bool run_container(unsigned char code) {
        switch (code) {
            case '(':
                mark();
                return true;
            case ')':
            case ']':
            case 0x8f:
                push(PickleKind::kList);
                return true;
            case '}':
                push(PickleKind::kDict);
                return true;
            case 't':
                push_list(pop_to_mark());
                return true;
            case 0x85:
            case 0x86:
            case 0x87:
                push_list(pop_many(code - 0x84U));
                return true;
            case 'a':
                append(PickleKind::kList, pop_many(1));
                return true;
            case 'e':
            case 0x90:
                append(PickleKind::kList, pop_to_mark());
                return true;
            case 's':
                append(PickleKind::kDict, pop_many(2));
                return true;
            case 'u':
                append(PickleKind::kDict, pop_to_mark());
                return true;
            default:
                return false;
        }
    }

    void push_list(std::vector<const PickleValue*> items) {
        push(PickleKind::kList).items = std::move(items);
    }

    void append(PickleKind kind, const std::vector<const PickleValue*>& items) const {
        PickleValue& container = top();
        if (container.kind != kind || (kind == PickleKind::kDict && items.size() % 2 != 0)) {
            throw PickleError("puts a value into something that is not a container");
        }
        container.items.insert(container.items.end(), items.begin(), items.end());
    }

    bool run_memo(unsigned char code) {
        switch (code) {
            case 'q':
                memo_[take<std::uint8_t>()] = &top();
                return true;
            case 'r':
                memo_[take<std::uint32_t>()] = &top();
                return true;
            case 0x94:
                memo_[static_cast<std::uint32_t>(memo_.size())] = &top();
                return true;
            case 'h':
                recall(take<std::uint8_t>());
                return true;
            case 'j':
                recall(take<std::uint32_t>());
                return true;
            case '0':
                pop();
                return true;
            default:
                return false;
        }
    }

    void recall(std::uint32_t number) {
        const auto found = memo_.find(number);
        if (found == memo_.end()) {
            throw PickleError("takes a value where there is none");
        }
        push_again(found->second);
    }

    bool run_object(unsigned char code) {
        switch (code) {
            case 0x80:
                if (const int protocol = take<std::uint8_t>(); protocol > 5) {
                    throw PickleError(
                        fmt::format("has the protocol {}, known are 2 to 5", protocol));
                }
                return true;
            case 0x95:
                take<std::uint64_t>();  // the length of a frame, whose content follows
                return true;
            case '.':
                made_.root_ = pop();
                return true;
            case 'c': {
                const std::string_view module = take_line();
                push_global(module, take_line());
                return true;
            }
            case 0x93: {
                const std::string name = pop()->text;
                push_global(pop()->text, name);
                return true;
            }
            case 'R':
                call();
                return true;
            case 'b':
                set_attributes();
                return true;
            case 'Q': {
                const PickleValue* id = pop();
                PickleValue& value = push(PickleKind::kOutside);
                value.items.push_back(id);
                made_.outside_.push_back(&value);
                return true;
            }
            default:
                return false;
        }
    }

    void push_global(std::string_view module, std::string_view name) {
        const std::string global = fmt::format("{}.{}", module, name);
        if (!allowed_.contains(global)) {
            refuse_global(global);
        }
        push(PickleKind::kGlobal).text = global;
    }

    // A model begins with its class; in a state dictionary an unknown object is inside a container.
    [[noreturn]] void refuse_global(const std::string& global) const {
        for (const PickleValue* value : values()) {
            if (value->kind == PickleKind::kDict || value->kind == PickleKind::kList) {
                throw PickleError(fmt::format(
                    "holds a '{}'; only tensors, numbers, texts, lists and dictionaries are read, "
                    "since reading anything else would run it: {}",
                    global, kHowTo));
            }
        }
        throw PickleError(
            fmt::format("holds a whole object, a '{}', which is not read, since reading it would "
                        "run it: {}",
                        global, kHowTo));
    }

    void call() {
        const PickleValue* arguments = pop();
        const PickleValue* global = pop();
        if (global->kind != PickleKind::kGlobal || arguments->kind != PickleKind::kList) {
            throw PickleError("calls something that is not a function");
        }
        if (global->text != kOrderedDict) {
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
            if (++copied_ > kMaxValues) {
                throw PickleError("describes more values than weights need");
            }
            dict.items.insert(dict.items.end(), pair->items.begin(), pair->items.end());
        }
    }

    // Ignores the attributes of a dictionary: `_metadata`, which is not needed.
    void set_attributes() {
        pop();
        if (top().kind != PickleKind::kDict) {
            throw PickleError("gives attributes to something that cannot have any");
        }
    }

    const std::set<std::string_view>& allowed_;
    Pickle& made_;
    std::size_t copied_ = 0;  // into dictionaries, from lists that may be used repeatedly
    std::unordered_map<std::uint32_t, PickleValue*> memo_;
};

bool PickleValue::calls(std::string_view global) const {
    return kind == PickleKind::kCall && items.front()->text == global;
}

Pickle::Pickle(std::string_view bytes, const std::set<std::string_view>& allowed_globals) {
    PickleReader(bytes, allowed_globals, *this).run();
}

}  // namespace ptp::engine
