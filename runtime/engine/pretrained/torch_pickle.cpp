// The tensors and containers of PyTorch in a pickle, built from what the pickle names.

#include "engine/pretrained/torch_pickle.hpp"

#include <ATen/ops/empty.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <regex>
#include <utility>

namespace ptp::engine {

namespace {

constexpr int kMaxDepth = 32;
constexpr std::size_t kMaxNames = 200'000;
constexpr std::size_t kMaxNameLength = 1'000;  // a key may be part of many names
constexpr std::size_t kMaxDimensions = 64;

struct StorageType {
    std::string_view global;
    at::ScalarType type;
};
constexpr std::array<StorageType, 10> kStorageTypes = {{
    {"torch.DoubleStorage", at::kDouble},
    {"torch.FloatStorage", at::kFloat},
    {"torch.HalfStorage", at::kHalf},
    {"torch.BFloat16Storage", at::kBFloat16},
    {"torch.LongStorage", at::kLong},
    {"torch.IntStorage", at::kInt},
    {"torch.ShortStorage", at::kShort},
    {"torch.CharStorage", at::kChar},
    {"torch.ByteStorage", at::kByte},
    {"torch.BoolStorage", at::kBool},
}};
constexpr std::string_view kRebuildOld = "torch._utils._rebuild_tensor";
constexpr std::string_view kRebuild = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view kParameter = "torch._utils._rebuild_parameter";

std::vector<std::int64_t> sizes(const PickleValue& value) {
    const bool is_list = value.kind == PickleKind::kList && value.items.size() <= kMaxDimensions;
    std::vector<std::int64_t> read;
    for (const PickleValue* item : is_list ? value.items : std::vector<const PickleValue*>()) {
        if (item->kind == PickleKind::kInteger && item->integer >= 0) {
            read.push_back(item->integer);
        }
    }
    if (!is_list || read.size() != value.items.size()) {
        throw PickleError("is damaged: a tensor has an impossible shape");
    }
    return read;
}

// The position of a tensor in its storage.
struct Geometry {
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> strides;
    std::int64_t offset = 0;

    // Returns the number of elements that its storage must have; -1 on overflow.
    [[nodiscard]] std::int64_t extent() const {
        std::int64_t last = offset;
        std::int64_t count = 1;
        bool is_empty = false;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            std::int64_t step = 0;
            is_empty = is_empty || sizes[i] == 0;
            if (__builtin_mul_overflow(count, std::max<std::int64_t>(sizes[i], 1), &count) ||
                __builtin_mul_overflow(std::max<std::int64_t>(sizes[i], 1) - 1, strides[i],
                                       &step) ||
                __builtin_add_overflow(last, step, &last)) {
                return -1;
            }
        }
        return is_empty ? 0 : (__builtin_add_overflow(last, 1, &last) ? -1 : last);
    }
};

class Walk {
public:
    explicit Walk(const ReadStorage& read) : read_(read) { made_.is_from_torch = true; }

    void add(const PickleValue& dict, const std::string& prefix, int depth) {
        if (depth > kMaxDepth) {
            throw PickleError("has dictionaries in dictionaries without end");
        }
        for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
            const std::string name = joined(prefix, *dict.items[i]);
            if (++count_ > kMaxNames) {
                throw PickleError(fmt::format("has more than {} names", kMaxNames));
            }
            const PickleValue& value = *dict.items[i + 1];
            if (value.kind == PickleKind::kDict) {
                add(value, name + ".", depth + 1);
            } else if (value.kind == PickleKind::kCall && !value.calls("torch.Size")) {
                add_tensor(present_name(name), value);
            } else {
                made_.others.push_back(name);
            }
        }
    }

    SavedWeights take() { return std::move(made_); }

private:
    static std::string joined(const std::string& prefix, const PickleValue& key) {
        if (key.kind == PickleKind::kInteger) {
            return prefix + std::to_string(key.integer);
        }
        if (key.kind != PickleKind::kText) {
            throw PickleError("has a dictionary whose keys are not names");
        }
        if (prefix.size() + key.text.size() > kMaxNameLength) {
            throw PickleError(fmt::format("has a name of more than {} bytes", kMaxNameLength));
        }
        return prefix + key.text;
    }

    void add_tensor(const std::string& name, const PickleValue& call) {
        if (!names_.insert(name).second) {
            throw PickleError(fmt::format("has the name '{}' twice", name));
        }
        made_.tensors.emplace_back(name, tensor(call));
    }

    at::Tensor tensor(const PickleValue& call) {
        const auto& arguments = call.items.at(1)->items;
        if (call.calls(kParameter) && !arguments.empty() &&
            (arguments[0]->calls(kRebuild) || arguments[0]->calls(kRebuildOld))) {
            return tensor(*arguments[0]);
        }
        const bool is_tensor = call.calls(kRebuild) || call.calls(kRebuildOld);
        if (!is_tensor || arguments.size() < 4 || arguments[0]->kind != PickleKind::kOutside ||
            arguments[1]->kind != PickleKind::kInteger) {
            throw PickleError("is damaged: a tensor is described in a way that is not known");
        }
        const TorchStorage storage = torch_storage(*arguments[0]);
        const Geometry geometry{sizes(*arguments[2]), sizes(*arguments[3]), arguments[1]->integer};
        if (geometry.sizes.size() != geometry.strides.size() || geometry.offset < 0 ||
            geometry.extent() < 0 || geometry.extent() > storage.count) {
            throw PickleError("is damaged: a tensor has an impossible shape");
        }
        const at::Tensor memory = read_(storage);
        if (geometry.extent() == 0) {
            return at::empty(geometry.sizes, memory.options());
        }
        return memory.as_strided(geometry.sizes, geometry.strides, geometry.offset);
    }

    const ReadStorage& read_;
    SavedWeights made_;
    std::set<std::string> names_;
    std::size_t count_ = 0;
};

}  // namespace

std::string present_name(const std::string& name) {
    static const std::regex kOldName(
        R"((.*denselayer\d+\.(?:norm|relu|conv))\.([12]\.(?:weight|bias|running_mean|running_var)))");
    static const std::regex kOldLinear(
        R"((.*encoder_layer_\d+\.mlp\.)linear_([12])(\.(?:weight|bias)))");
    std::smatch parts;
    if (name.find("denselayer") != std::string::npos && std::regex_match(name, parts, kOldName)) {
        return parts.str(1) + parts.str(2);
    }
    if (name.find("linear_") != std::string::npos && std::regex_match(name, parts, kOldLinear)) {
        return parts.str(1) + (parts.str(2) == "1" ? "0" : "3") + parts.str(3);
    }
    return name;
}

const std::set<std::string_view>& torch_globals() {
    static const std::set<std::string_view> globals = [] {
        std::set<std::string_view> names = {"collections.OrderedDict", "torch.Size", kRebuild,
                                            kRebuildOld, kParameter};
        for (const StorageType& row : kStorageTypes) {
            names.insert(row.global);
        }
        return names;
    }();
    return globals;
}

std::uint64_t TorchStorage::byte_count() const {
    return static_cast<std::uint64_t>(count) * c10::elementSize(type);
}

TorchStorage torch_storage(const PickleValue& outside) {
    constexpr std::int64_t kMaxElements = std::int64_t{1} << 59;  // so that the bytes fit too
    const auto& id = outside.items.at(0)->items;
    const bool is_storage =
        id.size() >= 5 && id[0]->text == "storage" && id[1]->kind == PickleKind::kGlobal &&
        id[2]->kind == PickleKind::kText && id[4]->kind == PickleKind::kInteger &&
        id[4]->integer >= 0 && id[4]->integer <= kMaxElements;
    if (!is_storage) {
        throw PickleError(
            "is damaged: the memory of a tensor is described in a way that is not known");
    }
    if (id.size() > 5 && id[5]->kind != PickleKind::kNone) {
        throw PickleError(
            "has memory within other memory, as PyTorch before 0.4 wrote it: load and save it with "
            "a newer one");
    }
    for (const StorageType& row : kStorageTypes) {
        if (row.global == id[1]->text) {
            return {id[2]->text, row.type, id[4]->integer};
        }
    }
    throw PickleError("is damaged: the memory of a tensor has no type");
}

SavedWeights torch_tensors(const PickleValue& root, const ReadStorage& read) {
    if (root.kind != PickleKind::kDict) {
        throw PickleError(
            "holds no state dictionary, but a single value: in Python, "
            "torch.save(model.state_dict(), \"weights.pth\") writes one");
    }
    Walk walk(read);
    walk.add(root, "", 1);
    SavedWeights made = walk.take();
    if (made.tensors.empty()) {
        throw PickleError("holds no tensors");
    }
    return made;
}

}  // namespace ptp::engine
