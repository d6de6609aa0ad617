#include "experiment/familiar_names.hpp"

#include "base/suggest.hpp"
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
#include <variant>

namespace ptp::experiment {

namespace {

struct Key {
    std::string_view name;
    std::string_view key;
    std::string_view form = {};  // how a number is written, if different here
};

constexpr std::string_view kEpochs = "training.terminal_conditions.epoch_limit";
constexpr std::string_view kEpisodes = "training.terminal_conditions.episode_limit";
constexpr std::string_view kPatience = "training.terminal_conditions.early_stop_validations";
constexpr std::string_view kTime = "training.terminal_conditions.wall_time";
constexpr std::string_view kRate = "training.optimizer.lr";
constexpr std::string_view kClipping = "training.gradient_clipping";
constexpr std::string_view kBatch = "training.task.batch_size";
constexpr std::string_view kWorkers = "training.dataloader.num_workers";

constexpr std::array kKeys = {
    Key{"accumulate_grad_batches", "training.accumulate"},
    Key{"accumulation_steps", "training.accumulate"},
    Key{"amsgrad", "training.optimizer.amsgrad"},
    Key{"base_lr", kRate},
    Key{"batch", kBatch},
    Key{"batch_size", kBatch},
    Key{"batchsize", kBatch},
    Key{"betas", "training.optimizer.betas"},
    Key{"bs", kBatch},
    Key{"criterion", "pipeline.loss"},
    Key{"clip_grad_norm", kClipping, "{{ norm = {} }}"},
    Key{"clip_value", kClipping},
    Key{"clipvalue", kClipping},
    Key{"clipnorm", kClipping, "{{ norm = {} }}"},
    Key{"data", "training.task"},
    Key{"data_dir", "training.task.data_folder"},
    Key{"data_folder", "training.task.data_folder"},
    Key{"dataset", "training.task"},
    Key{"drop_last", "training.dataloader.drop_last"},
    Key{"early_stop_validations", kPatience},
    Key{"early_stopping", kPatience},
    Key{"early_stopping_patience", kPatience},
    Key{"ema", "training.weight_average", "{{ decay = {} }}"},
    Key{"ema_decay", "training.weight_average.decay"},
    Key{"epoch", kEpochs},
    Key{"epoch_limit", kEpochs},
    Key{"epochs", kEpochs},
    Key{"episode_limit", kEpisodes},
    Key{"episodes", kEpisodes},
    Key{"gpu", "device"},
    Key{"gpus", "device"},
    Key{"accelerator", "device"},
    Key{"grad_clip", kClipping, "{{ norm = {} }}"},
    Key{"gradient_accumulation_steps", "training.accumulate"},
    Key{"gradient_clip_val", kClipping, "{{ norm = {} }}"},
    Key{"group_by_length", "training.sampler"},
    Key{"iterations", kEpisodes},
    Key{"l2", "training.optimizer.weight_decay"},
    Key{"learning_rate", kRate},
    Key{"learning_rate_init", kRate},
    Key{"limit_train_batches", "training.batch_limit"},
    Key{"limit_val_batches", "validation.batch_limit"},
    Key{"lr", kRate},
    Key{"loss", "pipeline.loss"},
    Key{"loss_fn", "pipeline.loss"},
    Key{"loss_stop_threshold", "training.terminal_conditions.loss_stop_threshold"},
    Key{"lr_schedule", "training.scheduler"},
    Key{"lr_scheduler", "training.scheduler"},
    Key{"manual_seed", "seed"},
    Key{"max_epoch", kEpochs},
    Key{"max_epochs", kEpochs},
    Key{"max_grad_norm", kClipping, "{{ norm = {} }}"},
    Key{"max_iter", kEpisodes},
    Key{"max_steps", kEpisodes},
    Key{"max_time", kTime},
    Key{"mixed_precision", "training.precision"},
    Key{"metrics", "pipeline.statistics"},
    Key{"model", "pipeline.model"},
    Key{"momentum", "training.optimizer.momentum"},
    Key{"n_epochs", kEpochs},
    Key{"nb_epoch", kEpochs},
    Key{"nesterov", "training.optimizer.nesterov"},
    Key{"net", "pipeline.model"},
    Key{"network", "pipeline.model"},
    Key{"num_epochs", kEpochs},
    Key{"num_steps", kEpisodes},
    Key{"num_train_epochs", kEpochs},
    Key{"num_workers", kWorkers},
    Key{"optimizer", "training.optimizer"},
    Key{"patience", kPatience},
    Key{"precision", "training.precision"},
    Key{"prefetch_factor", "training.dataloader.prefetch"},
    Key{"problem", "training.task"},
    Key{"random_seed", "seed"},
    Key{"random_state", "seed"},
    Key{"sampler", "training.sampler"},
    Key{"save_every", "checkpoint.every_episodes"},
    Key{"save_steps", "checkpoint.every_episodes"},
    Key{"save_top_k", "checkpoint.keep"},
    Key{"save_total_limit", "checkpoint.keep"},
    Key{"scheduler", "training.scheduler"},
    Key{"seed_numpy", "seed"},
    Key{"seed_torch", "seed"},
    Key{"shuffle", "training.dataloader.shuffle"},
    Key{"steps", kEpisodes},
    Key{"task", "training.task"},
    Key{"tensorboard", "records.tensorboard"},
    Key{"time_limit", kTime},
    Key{"wall_time", kTime},
    Key{"warmup", "training.warm_up", "{{ episodes = {} }}"},
    Key{"warmup_steps", "training.warm_up.episodes"},
    Key{"weight_decay", "training.optimizer.weight_decay"},
    Key{"workers", kWorkers},
};

struct Type {
    std::string_view key;  // the last part
    std::string_view name;
    std::string_view table;
};

constexpr std::array kTypes = {
    Type{"sampler", "random", R"({ type = "RandomSampler" })"},
    Type{"sampler", "shuffle", R"({ type = "RandomSampler" })"},
    Type{"sampler", "sequential", R"({ type = "SequentialSampler" })"},
    Type{"sampler", "subset", R"({ type = "SubsetRandomSampler", indices = [0, 1000] })"},
    Type{"sampler", "subsetsampler", R"({ type = "SubsetRandomSampler", indices = [0, 1000] })"},
    Type{"sampler", "weighted", R"({ type = "WeightedRandomSampler", weights = [1.0, 2.0] })"},
    Type{"sampler", "balanced", R"({ type = "ClassBalancedSampler" })"},
    Type{"sampler", "bucket", R"({ type = "LengthGroupedSampler" })"},
    Type{"sampler", "bucketbatchsampler", R"({ type = "LengthGroupedSampler" })"},
    Type{"sampler", "bucketiterator", R"({ type = "LengthGroupedSampler" })"},
    Type{"sampler", "bylength", R"({ type = "LengthGroupedSampler" })"},
};

struct ValueName {
    std::string_view key;    // the last part
    std::string_view value;  // folded; the text of a number
    std::string_view here;
};

constexpr std::array kValues = {
    ValueName{"precision", "16", "\"bf16\", or \"fp16\" with --device cuda"},
    ValueName{"precision", "16_mixed", "\"bf16\", or \"fp16\" with --device cuda"},
    ValueName{"precision", "float16", "\"bf16\", or \"fp16\" with --device cuda"},
    ValueName{"precision", "half", "\"bf16\", or \"fp16\" with --device cuda"},
    ValueName{"precision", "mixed", R"("bf16")"},
    ValueName{"precision", "bf16_mixed", R"("bf16")"},
    ValueName{"precision", "bfloat16", R"("bf16")"},
    ValueName{"precision", "mixed_bfloat16", R"("bf16")"},
    ValueName{"precision", "mixed_float16", "\"bf16\", or \"fp16\" with --device cuda"},
    ValueName{"precision", "32", R"("float32")"},
    ValueName{"precision", "32_true", R"("float32")"},
    ValueName{"precision", "fp32", R"("float32")"},
    ValueName{"separator", ",", R"("comma")"},
    ValueName{"separator", ";", R"("semicolon")"},
    ValueName{"separator", "\t", R"("tab")"},
    ValueName{"normalize", "imagenet",
              "{ mean = [0.485, 0.456, 0.406], std = [0.229, 0.224, 0.225] }"},
};

struct SettingName {
    std::string_view name;
    std::string_view setting;
};

constexpr std::array kSettings = {
    SettingName{"columns", "features"},
    SettingName{"data", "file"},
    SettingName{"data_dir", "data_folder"},
    SettingName{"delimiter", "separator"},
    SettingName{"dropout", "dropout_rate"},
    SettingName{"dropout_p", "dropout_rate"},
    SettingName{"embed_dim", "embeddings_size"},
    SettingName{"embedding_dim", "embeddings_size"},
    SettingName{"folder", "data_folder"},
    SettingName{"hidden", "hidden_size"},
    SettingName{"hidden", "hidden_sizes"},
    SettingName{"hidden_dim", "hidden_size"},
    SettingName{"hidden_dims", "hidden_sizes"},
    SettingName{"hidden_layers", "hidden_sizes"},
    SettingName{"image_size", "resize_image"},
    SettingName{"img_size", "resize_image"},
    SettingName{"label_column", "label"},
    SettingName{"layers", "hidden_sizes"},
    SettingName{"p", "dropout_rate"},
    SettingName{"path", "data_folder"},
    SettingName{"path", "file"},
    SettingName{"resize", "resize_image"},
    SettingName{"rnn_type", "cell_type"},
    SettingName{"root", "data_folder"},
    SettingName{"sep", "separator"},
    SettingName{"shape", "output_dims"},
    SettingName{"size", "output_dims"},
    SettingName{"size", "resize_image"},
    SettingName{"target", "label"},
    SettingName{"target", "values"},
    SettingName{"weight", "class_weights"},
};

struct ComponentName {
    std::string_view name;
    std::string_view component;
};

constexpr std::array kComponents = {
    ComponentName{"bceloss", "BCEWithLogitsLoss"},
    ComponentName{"cnn", "ConvNetEncoder"},
    ComponentName{"cnn", "LeNet5"},
    ComponentName{"conv2d", "ConvNetEncoder"},
    ComponentName{"confusionmatrix", "PrecisionRecallStatistics"},
    ComponentName{"convnet", "ConvNetEncoder"},
    ComponentName{"dense", "FeedForwardNetwork"},
    ComponentName{"f1", "PrecisionRecallStatistics"},
    ComponentName{"f1score", "PrecisionRecallStatistics"},
    ComponentName{"fc", "FeedForwardNetwork"},
    ComponentName{"fashion_mnist", "FashionMNIST"},
    ComponentName{"imagefolderdataset", "ImageFolder"},
    ComponentName{"linear", "FeedForwardNetwork"},
    ComponentName{"mae", "L1Loss"},
    ComponentName{"maeloss", "L1Loss"},
    ComponentName{"mlp", "FeedForwardNetwork"},
    ComponentName{"mse", "MSELoss"},
    ComponentName{"relu", "NonLinearity"},
    ComponentName{"resnet", "GenericImageEncoder"},
    ComponentName{"resnet18", "GenericImageEncoder"},
    ComponentName{"resnet50", "GenericImageEncoder"},
    ComponentName{"sequential", "FeedForwardNetwork"},
    ComponentName{"smoothl1loss", "HuberLoss"},
    ComponentName{"vgg16", "GenericImageEncoder"},
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

// Returns the meanings of all entries of this name.
std::vector<std::string> all_named(const auto& list, std::string_view name, auto member) {
    std::vector<std::string> found;
    for (const auto& one : list) {
        if (one.name == folded(name)) {
            found.emplace_back(one.*member);
        }
    }
    return found;
}

}  // namespace

std::optional<std::string> familiar_key(std::string_view name) {
    const auto found = std::ranges::find(kKeys, folded(name), &Key::name);
    return found == kKeys.end() ? std::nullopt : std::optional<std::string>(found->key);
}

std::vector<std::string> familiar_settings(std::string_view name) {
    return all_named(kSettings, name, &SettingName::setting);
}

namespace {

std::string_view last_part(std::string_view key) {
    return key.substr(key.rfind('.') + 1);
}

std::string_view table_of(std::string_view key) {
    const std::size_t dot = key.rfind('.');
    return dot == std::string_view::npos ? std::string_view() : key.substr(0, dot);
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
    const auto* const familiar = std::ranges::find(kKeys, folded(unknown.key), &Key::name);
    const bool has_form = familiar != kKeys.end() && !familiar->form.empty() && value.is_number();
    const bool is_component = key.starts_with("pipeline.");
    const schema::Key* found = declared.find(std::string(table_of(key)), last_part(key));
    if (has_form) {
        meant.value = fmt::format(fmt::runtime(familiar->form), inline_toml(value));
    } else if (is_component && value.is_string()) {
        meant.value = fmt::format("{{ type = {} }}", inline_toml(value));
    } else if (is_component && !value.is_table()) {
        meant.expected = "a table with the type of a component";
    } else if (found != nullptr && !schema::accepts(*found, value)) {
        meant.value = value.is_string() ? familiar_table(key, value.as_string()) : "";
        meant.expected = meant.value.empty() ? expected_text(*found) : "";
    }
    return meant;
}

}  // namespace

std::optional<schema::MeantKey> familiar_key_in(std::string_view table, const Member& unknown) {
    static const schema::KeyRecord declared = possible_keys(Value());  // the same for all calls
    if (const std::string key = renamed_key(table, unknown.key); !key.empty()) {
        return with_value(key, unknown, declared);
    }
    schema::MeantKey meant;
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

std::string familiar_value(std::string_view key, const Value& value) {
    const std::string given = value.is_string() ? folded(value.as_string()) : inline_toml(value);
    const auto found = std::ranges::find_if(kValues, [&](const ValueName& one) {
        return one.key == last_part(key) && one.value == given;
    });
    return found == kValues.end() ? "" : std::string(found->here);
}

std::string familiar_type_table(std::string_view key, std::string_view name) {
    const std::string_view last = key.substr(key.rfind('.') + 1);
    const std::string wanted = folded(name);
    if (last == "optimizer") {
        return std::string(example_of(wanted, optimizer::Any()));
    }
    if (last == "scheduler") {
        return std::string(example_of(wanted, schedule::Any()));
    }
    const auto found = std::ranges::find_if(
        kTypes, [&](const Type& type) { return type.key == last && type.name == wanted; });
    return found == kTypes.end() ? "" : std::string(found->table);
}

std::string familiar_table(std::string_view key, std::string_view name) {
    std::string known = familiar_type_table(key, name);
    if (!known.empty()) {
        return known;
    }
    const std::string_view last = key.substr(key.rfind('.') + 1);
    if (last != "task") {
        return "";
    }
    return fmt::format("{{ type = {}, batch_size = 64 }}", inline_toml(Value(std::string(name))));
}

std::vector<std::string> familiar_components(std::string_view name) {
    return all_named(kComponents, name, &ComponentName::component);
}

}  // namespace ptp::experiment
