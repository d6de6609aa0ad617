// Tables of names from other programs, and the advice that follows from them.

#include "experiment/familiar_names.hpp"

#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "base/value.hpp"
#include "experiment/fields.hpp"
#include "experiment/optimizer/optimizers.hpp"
#include "experiment/possible_keys.hpp"
#include "experiment/schedule/schedules.hpp"
#include "schema/check_value.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <span>
#include <variant>

namespace ptp::experiment {

namespace {

// Names of other programs, and what they mean here.
struct Familiar {
    std::string_view names;      // folded, separated by spaces; of values the texts of numbers too
    std::string_view meaning;    // a key, a setting, a type of component; or what to write
    std::string_view form = {};  // of a key: how a value is written, if different here
};

constexpr std::array kKeys = {
    Familiar{"accumulate_grad_batches accumulation_steps "
             "gradient_accumulation_steps",
             "training.accumulate"},
    Familiar{"amsgrad", "training.optimizer.amsgrad"},
    Familiar{"base_lr learning_rate learning_rate_init lr", "training.optimizer.lr"},
    Familiar{"batch batch_size batchsize bs", "training.task.batch_size"},
    Familiar{"callbacks stopping", "training.terminal_conditions", "{{ epoch_limit = {} }}"},
    Familiar{"better", "training.judge.better"},
    Familiar{"betas", "training.optimizer.betas"},
    Familiar{"criterion loss loss_fn", "pipeline.loss"},
    Familiar{"class_weight class_weights", "pipeline.loss.class_weights"},
    Familiar{"clip_grad_norm clipnorm grad_clip gradient_clip_val max_grad_norm",
             "training.gradient_clipping", "{{ norm = {} }}"},
    Familiar{"clip_value clipvalue", "training.gradient_clipping"},
    Familiar{"data dataset problem task", "training.task"},
    Familiar{"data_dir data_folder", "training.task.data_folder"},
    Familiar{"drop_last", "training.dataloader.drop_last"},
    Familiar{"early_stop_validations early_stopping early_stopping_patience "
             "patience",
             "training.terminal_conditions.early_stop_validations"},
    Familiar{"ema", "training.weight_average", "{{ decay = {} }}"},
    Familiar{"ema_decay", "training.weight_average.decay"},
    Familiar{"epoch epoch_limit epochs max_epoch max_epochs n_epochs nb_epoch "
             "num_epochs num_train_epochs",
             "training.terminal_conditions.epoch_limit"},
    Familiar{"episode_limit episodes iterations max_iter max_steps num_steps steps",
             "training.terminal_conditions.episode_limit"},
    Familiar{"gpu gpus accelerator", "device"},
    Familiar{"group_by_length sampler", "training.sampler"},
    Familiar{"l2 weight_decay", "training.optimizer.weight_decay"},
    Familiar{"limit_train_batches", "training.batch_limit"},
    Familiar{"limit_val_batches", "validation.batch_limit"},
    Familiar{"loss_stop_threshold", "training.terminal_conditions.loss_stop_threshold"},
    Familiar{"lr_schedule lr_scheduler scheduler", "training.scheduler"},
    Familiar{"manual_seed random_seed random_state seed_everything seed_numpy seed_torch", "seed"},
    Familiar{"max_time time_limit wall_time", "training.terminal_conditions.wall_time"},
    Familiar{"mixed_precision precision", "training.precision"},
    Familiar{"metrics statistics", "pipeline.statistics"},
    Familiar{"metric_for_best_model monitor", "training.judge"},
    Familiar{"model net network", "pipeline.model"},
    Familiar{"momentum", "training.optimizer.momentum"},
    Familiar{"nesterov", "training.optimizer.nesterov"},
    Familiar{"num_workers workers", "training.dataloader.num_workers"},
    Familiar{"optimizer", "training.optimizer"},
    Familiar{"prefetch_factor", "training.dataloader.prefetch"},
    Familiar{"save_every save_steps", "checkpoint.every_episodes"},
    Familiar{"save_top_k save_total_limit", "checkpoint.keep"},
    Familiar{"shuffle", "training.dataloader.shuffle"},
    Familiar{"test_size val_split validation_split", "training.sampler"},
    Familiar{"logger logging tensorboard", "records.tensorboard", "{{ every_episodes = 1 }}"},
    Familiar{"fit train trainer", "training"},
    Familiar{"dev eval evaluate evaluation val valid validate", "validation"},
    Familiar{"warmup", "training.warm_up", "{{ episodes = {} }}"},
    Familiar{"warmup_steps", "training.warm_up.episodes"},
};

// Names where the table of a sampler belongs.
constexpr std::array kSamplers = {
    Familiar{"random shuffle", R"({ type = "RandomSampler" })"},
    Familiar{"sequential", R"({ type = "SequentialSampler" })"},
    Familiar{"subset subsetsampler", R"({ type = "SubsetRandomSampler", indices = [0, 1000] })"},
    Familiar{"weighted", R"({ type = "WeightedRandomSampler", weights = [1.0, 2.0] })"},
    Familiar{"balanced", R"({ type = "ClassBalancedSampler" })"},
    Familiar{"bucket bucketbatchsampler bucketiterator bylength",
             R"({ type = "LengthGroupedSampler" })"},
};

// Values of the keys of these names; one is proposed only where the key takes it.
constexpr std::array kPrecisions = {
    Familiar{"16 16_mixed float16 half mixed_float16", R"("bf16", or "fp16" with --device cuda)"},
    Familiar{"mixed bf16_mixed bfloat16 mixed_bfloat16", R"("bf16")"},
    Familiar{"32 32_true fp32", R"("float32")"},
};
constexpr std::array kDevices = {
    Familiar{"gpu", R"("cuda")"},
    Familiar{"mps tpu xpu", R"("cpu")"},
};
constexpr std::array kDirections = {
    Familiar{"greater higher max maximize", R"("larger")"},
    Familiar{"less lower min minimize", R"("smaller")"},
};
constexpr std::array kSeparators = {
    Familiar{",", R"("comma")"},
    Familiar{";", R"("semicolon")"},
    Familiar{"\t", R"("tab")"},
};
constexpr std::array kNormalizations = {
    Familiar{"imagenet", "{ mean = [0.485, 0.456, 0.406], std = [0.229, 0.224, 0.225] }"},
};

// Settings of components; those that the component at hand has are proposed.
constexpr std::array kSettings = {
    Familiar{"rnn_type", "cell_type"},
    Familiar{"weight", "class_weights"},
    Familiar{"data_dir folder path root", "data_folder"},
    Familiar{"dropout dropout_p p", "dropout_rate"},
    Familiar{"embed_dim embedding_dim", "embeddings_size"},
    Familiar{"columns", "features"},
    Familiar{"data path", "file"},
    Familiar{"hidden hidden_dim", "hidden_size"},
    Familiar{"hidden hidden_dims hidden_layers layers", "hidden_sizes"},
    Familiar{"label_column target", "label"},
    Familiar{"shape size", "output_dims"},
    Familiar{"image_size img_size resize size", "resize_image"},
    Familiar{"delimiter sep", "separator"},
    Familiar{"target", "values"},
};

// Returns the first entry of this name; nullptr if there is none.
const Familiar* find(std::span<const Familiar> list, std::string_view name) {
    const auto found =
        std::ranges::find_if(list, [&](const Familiar& one) { return has_word(one.names, name); });
    return found == list.end() ? nullptr : &*found;
}

std::string meaning_of(std::span<const Familiar> list, std::string_view name) {
    const Familiar* found = find(list, name);
    return found == nullptr ? "" : std::string(found->meaning);
}

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

std::string_view last_part(std::string_view key) {
    return key.substr(key.rfind('.') + 1);
}

std::string_view table_of(std::string_view key) {
    const std::size_t dot = key.rfind('.');
    return dot == std::string_view::npos ? std::string_view() : key.substr(0, dot);
}

const schema::KeyRecord& declared_keys() {
    static const schema::KeyRecord declared = possible_keys(Value());  // the same for all calls
    return declared;
}

// Returns the key for a name of another program, in the section that the table is in; "" if there
// is none.
std::string renamed_key(std::string_view table, std::string_view name) {
    std::string key = familiar_key(name).value_or("");
    constexpr std::string_view kTraining = "training.";
    const std::string_view section = table.substr(0, table.find('.'));
    const bool is_of_each_section =
        key.starts_with(kTraining) &&
        (key.find(".task") != std::string::npos || key.find(".dataloader") != std::string::npos ||
         key.find(".sampler") != std::string::npos ||
         key.find(".batch_limit") != std::string::npos);
    if (is_of_each_section && (section == "validation" || section == "test")) {
        key.replace(0, kTraining.size() - 1, section);
    }
    return key == below(std::string(table), std::string(name)) ? "" : key;
}

// Returns the key with the unchanged value if the key takes it; otherwise with the replacement, or
// with what the key must be.
schema::MeantKey with_value(std::string key, const Member& unknown,
                            const schema::KeyRecord& declared) {
    schema::MeantKey meant{.keys = {key}};
    const Value& value = unknown.value;
    const Familiar* familiar = find(kKeys, folded(unknown.key));
    const bool has_form = familiar != nullptr && !familiar->form.empty() &&
                          (value.is_number() ||
                           (!value.is_table() && familiar->form.find("{}") == std::string::npos));
    const bool is_component = table_of(key) == "pipeline";
    const bool is_share = familiar != nullptr && has_word(familiar->names, "val_split") &&
                          value.is_real() && value.as_real() > 0 && value.as_real() < 1;
    const schema::Key* found = declared.find(std::string(table_of(key)), last_part(key));
    if (key == "training.judge" && value.is_string()) {
        std::string statistic = value.as_string();
        statistic.erase(0, statistic.starts_with("val_") ? 4 : 0);
        const bool is_cost = statistic.find("loss") != std::string::npos ||
                             statistic.find("error") != std::string::npos;
        meant.value = fmt::format("{{ statistic = {}, better = \"{}\" }}",
                                  inline_toml(Value(statistic)), is_cost ? "smaller" : "larger");
    } else if (is_share) {
        meant.value = fmt::format(
            "{{ type = \"RandomSplitSampler\", share = [0.0, {0}] }}, and in a table [validation] "
            "with the same task sampler = {{ type = \"RandomSplitSampler\", share = [{0}, 1.0] }}",
            1 - value.as_real());
    } else if (has_form) {
        meant.value = fmt::format(fmt::runtime(familiar->form), inline_toml(value));
    } else if (is_component && value.is_string()) {
        meant.value = fmt::format("{{ type = {} }}", inline_toml(value));
    } else if (is_component && !value.is_table()) {
        meant.expected = "a table with the type of a component, as ptp-inspect lists them";
    } else if (found != nullptr && !schema::accepts(*found, value)) {
        const auto other = schema::meant_value(*found, value);
        meant.value = other               ? inline_toml(*other)
                      : value.is_string() ? familiar_table(key, value.as_string())
                                          : "";
        meant.expected = meant.value.empty() ? expected_text(*found) : "";
    }
    return meant;
}

// Returns what to do about a true `shuffle` where the section has a sampler; "" elsewhere.
std::string fix_beside_sampler(std::string_view key, const Value& value, const Value* root) {
    constexpr std::string_view kShuffle = ".dataloader.shuffle";
    const bool shuffles = key.ends_with(kShuffle) && value.is_bool() && value.as_bool();
    const Value* section =
        shuffles && root != nullptr ? root->find_path(table_of(table_of(key))) : nullptr;
    return section != nullptr && section->find("sampler") != nullptr
               ? std::string(kFixBesideSampler)
               : "";
}

}  // namespace

void choose_for_key(const std::string& key, std::vector<std::string>& meanings) {
    const schema::Key* found = declared_keys().find(std::string(table_of(key)), last_part(key));
    std::erase_if(meanings, [&](const std::string& meaning) {
        const auto value = read_toml_value(meaning);
        return found != nullptr && (!value || !schema::accepts(*found, *value));
    });
}

std::string meaning_of_word(std::string_view word) {
    const std::vector<std::string_view> meanings = meanings_of(word);
    return meanings.empty() ? "" : std::string(meanings.front());
}

std::optional<std::string> familiar_key(std::string_view name) {
    const Familiar* found = find(kKeys, folded(name));
    return found == nullptr ? std::nullopt : std::optional<std::string>(found->meaning);
}

std::vector<std::string> familiar_settings(std::string_view name) {
    std::vector<std::string> found;
    for (const Familiar& one : kSettings) {
        if (has_word(one.names, folded(name))) {
            found.emplace_back(one.meaning);
        }
    }
    return found;
}

std::optional<schema::MeantKey> familiar_key_in(const schema::UnknownKey& of) {
    const schema::KeyRecord& declared = declared_keys();
    const std::string& table = of.table;
    const Member& unknown = of.member;
    if (const std::string key = renamed_key(table, unknown.key); !key.empty()) {
        schema::MeantKey meant = with_value(key, unknown, declared);
        meant.fix = fix_beside_sampler(key, unknown.value, of.root);
        return meant;
    }
    schema::MeantKey meant;
    const schema::Key* of_file = table.empty() ? nullptr : declared.find("", unknown.key);
    if (of_file != nullptr && schema::accepts(*of_file, unknown.value)) {
        meant.keys.push_back(unknown.key);
        return meant;
    }
    for (const auto& [path, keys] : declared.tables()) {
        const schema::Key* key = path == table ? nullptr : declared.find(path, unknown.key);
        if (key != nullptr && schema::accepts(*key, unknown.value)) {
            meant.keys.push_back(below(path, unknown.key));
        }
    }
    // A section's keys are also those of the other section.
    const auto is_of_validation = [](const std::string& key) {
        return key.starts_with("validation.");
    };
    if (meant.keys.size() > 1 && !table.starts_with("validation")) {
        std::erase_if(meant.keys, is_of_validation);
    }
    return meant.keys.size() == 1 ? std::optional(meant) : std::nullopt;
}

std::optional<Explanation> familiar_freezing(const Member& unknown) {
    const std::string name = folded(unknown.key);
    const bool trains = has_word("requires_grad trainable unfreeze", name);
    const bool until = has_word("freeze_epochs freeze_until unfreeze_at unfreeze_epoch", name);
    if (!trains && !until && !has_word("freeze_layers frozen frozen_layers", name)) {
        return std::nullopt;
    }
    Explanation explanation{"unknown setting; here it is 'freeze'"};
    const Value& value = unknown.value;
    if (until && value.is_integer()) {
        explanation.fix = fmt::format("write freeze = {{ until_epoch = {} }}", value.as_integer());
        return explanation;
    }
    const Value names = value.is_string() ? Value::list({value}) : value;
    if (value.is_bool()) {
        explanation.fix = value.as_bool() == trains ? "leave it out: what is not frozen is trained"
                                                    : "write freeze = true";
    } else if (names.is_list()) {
        const std::string list = inline_toml(names);
        explanation.fix =
            "write freeze = " + (trains ? fmt::format("{{ except = {} }}", list) : list);
    }
    return explanation;
}

std::string familiar_value(std::string_view key, const Value& value) {
    const std::string given = value.is_string() ? folded(value.as_string()) : inline_toml(value);
    const std::string_view last = last_part(key);
    // Tables only: a number as `gradient_clipping` has a meaning.
    constexpr std::string_view kTables =
        "training.terminal_conditions training.warm_up training.weight_average";
    for (const Familiar& one : kKeys) {
        if (value.is_number() && has_word(kTables, key) && one.meaning == key) {
            return fmt::format(fmt::runtime(one.form), given);
        }
    }
    return last == "precision"   ? meaning_of(kPrecisions, given)
           : last == "device"    ? meaning_of(kDevices, given)
           : last == "better"    ? meaning_of(kDirections, given)
           : last == "separator" ? meaning_of(kSeparators, given)
           : last == "normalize" ? meaning_of(kNormalizations, given)
                                 : "";
}

std::string familiar_type_table(std::string_view key, std::string_view name) {
    const std::string_view last = last_part(key);
    const std::string wanted = folded(name);
    if (last == "optimizer") {
        return std::string(example_of(wanted, optimizer::Any()));
    }
    if (last == "scheduler") {
        return std::string(example_of(wanted, schedule::Any()));
    }
    return last == "sampler" ? meaning_of(kSamplers, wanted) : "";
}

std::string familiar_table(std::string_view key, std::string_view name) {
    std::string known = familiar_type_table(key, name);
    if (!known.empty()) {
        return known;
    }
    const std::string_view last = last_part(key);
    if (last != "task") {
        return "";
    }
    return fmt::format("{{ type = {}, batch_size = 64 }}", inline_toml(Value(std::string(name))));
}

}  // namespace ptp::experiment
