// Values of other programs' keys, and what the keys take here.

#include "base/suggest.hpp"
#include "base/toml_writer.hpp"
#include "base/value.hpp"
#include "experiment/familiar.hpp"
#include "experiment/familiar_names.hpp"
#include "experiment/libtorch_version.hpp"
#include "experiment/optimizer/optimizers.hpp"
#include "experiment/schedule/schedules.hpp"
#include "schema/check_value.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <variant>
#include <vector>

namespace ptp::experiment {

namespace {

// Names where the table of a sampler belongs.
constexpr std::array kSamplers = {
    Familiar{"random randomsampler shuffle", R"({ type = "RandomSampler" })"},
    Familiar{"random_split randomsplit train_test_split",
             R"({ type = "RandomSplitSampler", share = [0.0, 0.8] })"},
    Familiar{"kfold", R"({ type = "kFoldRandomSampler", folds = 5, fold = 0 })"},
    Familiar{"groupkfold", R"({ type = "kFoldGroupSampler", folds = 5, fold = 0 })"},
    Familiar{"stratifiedkfold", R"({ type = "kFoldStratifiedSampler", folds = 5, fold = 0 })"},
    Familiar{"sequential sequentialsampler", R"({ type = "SequentialSampler" })"},
    Familiar{"subset subsetrandomsampler subsetsampler",
             R"({ type = "SubsetRandomSampler", indices = [0, 1000] })"},
    Familiar{"weighted weightedrandomsampler",
             R"({ type = "WeightedRandomSampler", weights = [1.0, 2.0] })"},
    Familiar{"balanced classbalancedsampler", R"({ type = "ClassBalancedSampler" })"},
    Familiar{"bucket bucketbatchsampler bucketiterator bylength lengthgroupedsampler",
             R"({ type = "LengthGroupedSampler" })"},
};

// Values of settings of components, for which experiments have a key.
struct ForValue {
    std::string_view settings;
    std::string_view value;
    std::string_view key;
    std::string_view written;
};
constexpr std::array kForValues = {
    ForValue{"class_weight class_weights weight", "balanced", "training.sampler",
             R"({ type = "ClassBalancedSampler" })"},
};

// Values of the keys of these names; one is proposed only where the key takes it.
constexpr std::string_view kHalfPrecision = "16 16_mixed float16 half mixed_float16";
constexpr std::string_view kEndless = "inf infinite infinity never no none null unlimited";
constexpr std::string_view kImageNet =
    "{ mean = [0.485, 0.456, 0.406], std = [0.229, 0.224, 0.225] }";
constexpr std::array kValues = {
    OfTable{"precision", {kHalfPrecision, R"("bf16", or "fp16" with --device cuda)"}},
    OfTable{"precision", {"mixed bf16_mixed bfloat16 mixed_bfloat16", R"("bf16")"}},
    OfTable{"precision", {"32 32_true fp32", R"("float32")"}},
    OfTable{"device", {"gpu", R"("cuda")"}},
    OfTable{"device", {"mps tpu xpu", R"("cpu")"}},
    OfTable{"better", {"greater higher max maximize", R"("larger")"}},
    OfTable{"better", {"less lower min minimize", R"("smaller")"}},
    // The offline worker needs a number of epochs; other limits may end the training before.
    OfTable{"epoch_limit", {kEndless, "1000000"}},
    OfTable{"episode_limit", {kEndless, "-1"}},
    OfTable{"padding", {"none valid", "0"}},
    OfTable{"separator", {",", R"("comma")"}},
    OfTable{"separator", {";", R"("semicolon")"}},
    OfTable{"separator", {"\t", R"("tab")"}},
    OfTable{"normalize", {"imagenet true yes", kImageNet}},
    OfTable{"missing", {"average avg", R"("mean")"}},
    OfTable{"missing", {"mode", R"("most_frequent")"}},
    OfTable{"missing", {"0 zeros", R"("zero")"}},
    OfTable{"missing", {"drop_na dropna remove skip", R"("drop")"}},
    OfTable{"prediction_mode", {"true", R"("Dense")"}},
    OfTable{"prediction_mode", {"false", R"("Last")"}},
};

// Returns what to write for a value of a key of this last name; "" if none is known.
std::string known_value(std::string_view key, std::string_view given) {
    const auto found = std::ranges::find_if(kValues, [&](const OfTable& one) {
        return one.table == key && has_word(one.names.names, given);
    });
    return found == kValues.end() ? "" : std::string(found->names.meaning);
}

// Tables, and the meaning of a number in place of each.
constexpr std::array kNumbers = {
    Familiar{"training.terminal_conditions", "", "{{ epoch_limit = {} }}"},
    Familiar{"training.warm_up", "", "{{ episodes = {} }}"},
    Familiar{"training.weight_average", "", "{{ decay = {} }}"},
};

// Returns the example of the type that has this name, or this other name.
template <class... Types>
std::string_view example_of(const std::string& name, const std::variant<Types...>&) {
    std::string_view example;
    const auto look_at = [&]<class One>(const One&) {
        bool is_it = folded(One::kName) == name;
        if constexpr (requires { One::kOtherNames; }) {
            is_it = is_it || std::ranges::count(One::kOtherNames, name) > 0;
        }
        example = is_it ? One::kExample : example;
    };
    (look_at(Types()), ...);
    return example;
}

bool is_share(const Value& value) {
    return value.is_real() && value.as_real() > 0 && value.as_real() < 1;
}

std::string listed(const std::vector<double>& shares) {
    std::string list;
    for (const double share : shares) {
        list += fmt::format("{}{:.6g}", list.empty() ? "" : ", ", share);
    }
    return "[" + list + "]";
}

std::string written_shares(const std::vector<double>& shares) {
    return fmt::format("{{ shares = {} }}", listed(shares));
}

// Returns the shares of a list of them, or of percents or counts, which are divided by their sum.
std::string listed_shares(const Value& list) {
    std::vector<double> shares;
    for (const Value& one : list.items()) {
        if (!one.is_number() || one.as_real() <= 0) {
            return fmt::format("{{ shares = {} }}", inline_toml(list));
        }
        shares.push_back(one.as_real());
    }
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    if (shares.size() < 2 || std::ranges::none_of(shares, [](double one) { return one > 1; })) {
        return fmt::format("{{ shares = {} }}", inline_toml(list));
    }
    std::ranges::transform(shares, shares.begin(), [&](double one) { return one / sum; });
    return written_shares(shares);
}

// Returns the table that divides rows, for a share, a list of shares, the word for a part, or the
// name of a column.
std::string row_split(const Value& value) {
    if (is_share(value)) {
        const double larger = std::max(value.as_real(), 1 - value.as_real());
        return written_shares({larger, 1 - larger});
    }
    if (value.is_list()) {
        return listed_shares(value);
    }
    if (!value.is_string()) {
        return "";
    }
    return has_word("dev test train training val valid validation", folded(value.as_string()))
               ? written_shares({0.8, 0.2})
               : fmt::format("{{ column = {} }}", inline_toml(value));
}

std::string_view last_name(std::string_view key) {
    return key.substr(key.rfind('.') + 1);
}

// Returns whether float16 is computed on the CPU, too.
bool has_float16() {
    return is_from(libtorch_version(), kFirstWithFloat16);
}

}  // namespace

std::string familiar_value(std::string_view key, const Value& value) {
    const std::string given = value.is_string() ? folded(value.as_string()) : inline_toml(value);
    const std::string_view last = last_name(key);
    if (const Familiar* table = value.is_number() ? find_familiar(kNumbers, key) : nullptr) {
        return fmt::format(fmt::runtime(table->form), given);
    }
    if (key.starts_with("search.space.") && value.is_list()) {
        return fmt::format("{{ choice = {} }}", given);
    }
    if (last == "scheduler" && is_share(value) && value.as_real() >= 0.5) {  // of each epoch's rate
        return fmt::format(R"({{ type = "ExponentialLR", gamma = {} }})", given);
    }
    if (last == "share" && is_share(value)) {
        return key.starts_with("training.") ? fmt::format("[0.0, {}]", given)
                                            : fmt::format("[{}, 1.0]", 1 - value.as_real());
    }
    if (last == "shares" && is_share(value)) {
        const double larger = std::max(value.as_real(), 1 - value.as_real());
        return listed({larger, 1 - larger});
    }
    if (last == "betas" && value.is_real()) {
        return fmt::format("[{}, 0.999]", given);  // the second one of Adam
    }
    if (last == "precision" && has_word(kHalfPrecision, given) && has_float16()) {
        return R"("fp16")";
    }
    if (std::string known = known_value(last, given); !known.empty()) {
        return known;
    }
    return last == "split" ? row_split(value)
           : last == "freeze" && value.is_string() && !has_word("false no none true yes", given)
               ? "[" + inline_toml(value) + "]"
               : "";
}

std::string familiar_setting(std::string_view key, const Member& given) {
    const std::string name = folded(given.key);
    const std::string_view last = last_name(key);
    if ((last == "split" || last == "shares") && name != last && is_share(given.value)) {
        const double share = given.value.as_real();
        const std::vector<double> shares = {name == "train_size" ? share : 1 - share,
                                            name == "train_size" ? 1 - share : share};
        return last == "split" ? written_shares(shares) : listed(shares);
    }
    return familiar_value(key, given.value);
}

std::optional<schema::MeantKey> meant_precision(const schema::UnknownKey& of) {
    const Value& value = of.member.value;
    const std::string given = value.is_string() ? folded(value.as_string()) : inline_toml(value);
    constexpr const char* kKey = "training.precision";
    schema::MeantKey meant{.keys = {kKey}};
    if (value.is_bool() && !value.as_bool()) {
        meant.fix = "leave it out";
        return meant;
    }
    if (value.is_bool() && folded(of.member.key) == "bf16") {
        meant.fix = schema::fix_of_key(of, kKey, R"("bf16")");
        return meant;
    }
    if (!value.is_bool() && given != "fp16" && !has_word(kHalfPrecision, given)) {
        return std::nullopt;
    }
    const Value* const device = of.root == nullptr ? nullptr : of.root->find("device");
    const bool is_gpu = device != nullptr && device->is_string() && device->as_string() != "cpu";
    const bool takes_float16 = is_gpu || has_float16();
    meant.reason = takes_float16 ? "" : schema::other_meaning(known_value("precision", "half"));
    meant.fix = schema::fix_of_key(of, kKey, takes_float16 ? R"("fp16")" : R"("bf16")");
    return meant;
}

std::string fix_of_devices(const Member& unknown) {
    if (!has_word("devices gpus n_gpu n_gpus num_devices num_gpus", folded(unknown.key)) ||
        !unknown.value.is_integer()) {
        return "";
    }
    const std::int64_t count = unknown.value.as_integer();
    return count > 1
               ? fmt::format("leave it out; to train on {0} GPUs: --nproc {0} --device cuda", count)
               : "leave it out: one device is used; to train on a GPU: --device cuda";
}

std::string usual_direction(std::string_view statistic) {
    constexpr std::array<std::string_view, 14> kLarger = {
        "accuracy", "precision", "recall", "f1",  "f1_score", "f1score", "bleu",
        "rouge",    "iou",       "dice",   "auc", "auroc",    "r2",      "mean_ap"};
    constexpr std::array<std::string_view, 11> kSmaller = {"loss", "error", "perplexity", "mae",
                                                           "mse",  "rmse",  "distance",   "wer",
                                                           "cer",  "mape",  "nll"};
    const auto has = [&](const auto& names) {
        return std::ranges::any_of(names, [&](std::string_view name) {
            const std::size_t at = statistic.find(name);
            const std::size_t end = at + name.size();
            return at != std::string_view::npos && (at == 0 || statistic[at - 1] == '_') &&
                   (end == statistic.size() || statistic[end] == '_');
        });
    };
    const bool is_larger = has(kLarger);
    return is_larger == has(kSmaller) ? "" : is_larger ? "larger" : "smaller";
}

std::optional<schema::MeantKey> familiar_key_for_value(const Member& setting) {
    for (const ForValue& one : kForValues) {
        if (has_word(one.settings, folded(setting.key)) && setting.value.is_string() &&
            folded(setting.value.as_string()) == one.value) {
            return schema::MeantKey{.keys = {std::string(one.key)},
                                    .value = std::string(one.written)};
        }
    }
    return std::nullopt;
}

std::string familiar_type_table(std::string_view key, std::string_view name) {
    const std::string_view last = last_name(key);
    const std::string wanted = folded(name);
    if (last == "optimizer") {
        return std::string(example_of(wanted, optimizer::Any()));
    }
    if (last == "scheduler") {
        return std::string(example_of(wanted, schedule::Any()));
    }
    return last == "sampler" ? meaning_of(kSamplers, wanted) : "";
}

std::string familiar_example(std::string_view key) {
    return key.ends_with(".optimizer")        ? std::string(optimizer::Adam::kExample)
           : key.ends_with("optimizer.lr")    ? "0.01"
           : key.ends_with("task.batch_size") ? "64"
           : key.ends_with("sampler.weights") ? "\"task\""
                                              : "";
}

std::string familiar_table(std::string_view key, std::string_view name) {
    std::string known = familiar_type_table(key, name);
    if (!known.empty()) {
        return known;
    }
    const std::string_view last = last_name(key);
    if (last == "split") {
        return row_split(Value(std::string(name)));
    }
    if (last != "task") {
        return "";
    }
    return fmt::format("{{ type = {}, batch_size = 64 }}", inline_toml(Value(std::string(name))));
}

}  // namespace ptp::experiment
