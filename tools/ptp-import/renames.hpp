// Differences between the names and features of PyTorchPipe and ptp: the built-in knowledge of an
// import. Settings, streams and globals of components are declared by plugins instead.

#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace ptp::importer {

// A type of component; includes names of releases before 0.2.
struct TypeName {
    std::string_view from;
    std::string_view to;
};

// A key of a table that is not a component's; "*" is any section.
struct SectionKey {
    std::string_view table;  // "*.optimizer"
    std::string_view from;
    std::string_view to;
};

enum class Reading {
    kRead,
    kIgnored,   // PyTorchPipe never reads it
    kMeansElse  // ptp has the key too, with another meaning
};

// A key in the table of a component, or in its `streams`, `globals` or `statistics`.
struct ComponentKey {
    std::string_view type;   // ptp's name; "*" is any
    std::string_view table;  // "" for the component's own
    std::string_view from;
    std::string_view to;  // "globals.pad_index" is in another table
    Reading reading = Reading::kRead;
    std::string_view when = {};  // (optional) only if this setting is true
};

// A key without a counterpart.
struct GoneKey {
    std::string_view where;  // "*.dataloader", or the type of a component
    std::string_view key;
    std::string_view why;
    std::string_view instead;
};

// A default of PyTorchPipe that differs from ptp's.
struct OtherDefault {
    std::string_view type;
    std::string_view table;  // "" or "streams"
    std::string_view key;
    std::string_view value;        // TOML
    std::string_view unless = {};  // (optional) not if this key is written
};

// A word of a list that is a separate setting.
struct WordFlag {
    std::string_view type;
    std::string_view key;
    std::string_view word;
    std::string_view flag;
    std::string_view all;  // other words in "all": "a,b"
};

// A default behavior of PyTorchPipe that ptp does not have.
struct LostDefault {
    std::string_view type;
    std::string_view key;      // PyTorchPipe's name
    std::string_view or_else;  // a key that replaces it
    std::string_view why;
    std::string_view instead;
};

// A value that is written differently.
struct OtherValue {
    std::string_view type;  // "*" is any
    std::string_view key;
    std::string_view from;  // TOML
    std::string_view to;    // TOML; "" removes the key
    std::string_view to_key = {};
};

inline constexpr std::array kTypes = std::to_array<TypeName>({
    {"Accuracy", "AccuracyStatistics"},
    {"Attn_Decoder_RNN", "AttentionDecoder"},
    {"BatchSize", "BatchSizeStatistics"},
    {"BLEU", "BLEUStatistics"},
    {"Concatenation", "ConcatenateTensor"},
    {"ElementWiseMultiplication", "LowRankBilinearPooling"},
    {"ImageToClassViewer", "ImageViewer"},
    {"MultimodalCompactBilinearPooling", "CompactBilinearPooling"},
    {"MultimodalFactorizedBilinearPooling", "FactorizedBilinearPooling"},
    {"PrecisionRecall", "PrecisionRecallStatistics"},
    {"RNN", "RecurrentNeuralNetwork"},
    {"SentenceEncoder", "SentenceOneHotEncoder"},
    {"SoftmaxClassifier", "FeedForwardNetwork"},
    {"TorchVisionWrapper", "GenericImageEncoder"},
    {"WordEmbeddings", "SentenceEmbeddings"},
});

inline constexpr std::array kSectionKeys = std::to_array<SectionKey>({
    {"*", "problem", "task"},
    {"*.optimizer", "name", "type"},
    {"*.sampler", "name", "type"},
    {"*.terminal_conditions", "loss_stop", "loss_stop_threshold"},
});

inline constexpr std::array kComponentKeys = std::to_array<ComponentKey>({
    {"*", "", "vocabulary_mappings_file", "word_mappings_file", Reading::kIgnored},
    {"*", "", "export_pad_mapping_to_globals", "export_pad_index_to_globals", Reading::kIgnored},
    {"*", "", "resize", "resize_image"},
    {"AttentionDecoder", "", "ffn_output", "use_output_layer"},
    {"FeedForwardNetwork", "", "hidden", "hidden_sizes", Reading::kIgnored},
    {"FeedForwardNetwork", "", "use_losfotmax", "use_logsoftmax", Reading::kIgnored},
    {"GenericImageEncoder", "", "model", "model_type", Reading::kIgnored},
    {"NLLLoss", "", "targets_dim", "num_targets_dims"},
    {"RecurrentNeuralNetwork", "", "ffn_output", "use_output_layer", Reading::kIgnored},
    {"SentenceEmbeddings", "", "pretrained_embeddings", "pretrained_embeddings_file",
     Reading::kIgnored},
    {"StreamViewer", "", "stream_names", "input_streams", Reading::kIgnored},
    {"StreamFileExporter", "", "export_header_to_csv", "header"},
    {"StreamFileExporter", "", "export_separator_line_to_csv", "separator_line"},
    {"SentenceIndexer", "streams", "pad_index", "globals.pad_index", Reading::kIgnored},
    {"QuestionDrivenAttention", "streams", "image_encodings", "feature_maps", Reading::kIgnored},
    {"GenericImageEncoder", "streams", "outputs", "feature_maps", Reading::kMeansElse,
     "return_feature_maps"},
    {"ImageViewer", "streams", "answers", "predictions"},
    {"DummyLanguageIdentification", "streams", "targets", "labels", Reading::kMeansElse},
    {"WiLYLanguageIdentification", "streams", "targets", "labels", Reading::kMeansElse},
    {"*", "globals", "feature_maps_height", "feature_map_height"},
    {"*", "globals", "feature_maps_width", "feature_map_width"},
    {"*", "globals", "feature_maps_depth", "feature_map_depth"},
});

inline constexpr std::array kGoneKeys = std::to_array<GoneKey>({
    {"*", "batch_size", "PyTorchPipe does not read it either", "batch_size of the section's task"},
    {"*", "curriculum_learning", "no task has a curriculum, in PyTorchPipe neither", ""},
    {"*", "seed_numpy", "one seed is for all that is random",
     "write seed = NUMBER above the first table"},
    {"*.dataloader", "pin_memory", "batches are copied to the device before they are needed", ""},
    {"*.dataloader", "timeout", "loader threads cannot be lost like processes", ""},
    {"*.dataloader", "batch_sampler", "PyTorchPipe does not read it either", ""},
    {"*.sampler", "epochs_per_fold", "a run has one fold", "ptprun cv FILE --folds N"},
    {"*", "export_sample_weights", "the task states the weights of its samples",
     "weights = \"task\" in the sampler"},
    {"*", "shuffle_indices", "folds are drawn by the sampler's fold_seed", ""},
    {"*", "export_indices", "training and validation have the same folds without a file", ""},
    {"*", "import_indices", "training and validation have the same folds without a file", ""},
    {"*", "image_preprocessing", "flips and turns are components",
     "RandomAffine and RandomFlip in the pipeline, normalize = { mean, std } in the task"},
    {"*", "preload_images", "images are decoded by the loader's threads",
     "num_workers of the section's dataloader"},
    {"AttentionDecoder", "num_layers", "it has one layer, in PyTorchPipe too", ""},
    {"ConcatenateTensor", "input_dims", "the streams determine the sizes", ""},
    {"GenericImageEncoder", "pretrained", "nothing is downloaded",
     "load, with a file of docs/pretrained-weights.md"},
    {"PrecisionRecallStatistics", "use_word_mappings",
     "names are those of the global that word_mappings names, or the task's",
     "globals = { word_mappings = ... }"},
});

inline constexpr std::string_view kImageNet =
    "{ mean = [0.485, 0.456, 0.406], std = [0.229, 0.224, 0.225] }";

inline constexpr std::array kOtherDefaults = std::to_array<OtherDefault>({
    {"AttentionDecoder", "", "attention", "\"Positions\""},
    {"GenericImageEncoder", "", "model_type", "\"vgg16\""},
    {"StreamFileExporter", "", "filename", "\"outputs.txt\""},
    {"StreamFileExporter", "", "header", "false"},
    {"StreamFileExporter", "", "step_columns", "[]"},
    {"WikiTextLanguageModeling", "", "stride", "1"},
    {"VQAMED2019", "", "normalize", kImageNet, "image_preprocessing"},
    {"DummyLanguageIdentification", "streams", "targets", "\"task_targets\""},
    {"WiLYLanguageIdentification", "streams", "targets", "\"task_targets\""},
});

inline constexpr std::array kLostDefaults = std::to_array<LostDefault>({
    {"GenericImageEncoder", "pretrained", "load",
     "PyTorchPipe downloads weights trained on ImageNet; here it begins with random ones",
     "load, with a file of docs/pretrained-weights.md"},
});

inline constexpr std::array kOtherValues = std::to_array<OtherValue>({
    {"*", "image_preprocessing", "\"normalize\"", kImageNet, "normalize"},
    {"*", "image_preprocessing", "\"none\"", ""},
    {"*", "fixed_padding", "-1", ""},
    {"GenericImageEncoder", "pretrained", "false", ""},
    {"SentenceEmbeddings", "pretrained_embeddings_file", "\"mimic.fastText.no_clean.300d.pickled\"",
     "\"mimic.fastText.no_clean.300d.vec\""},
    {"SentenceTokenizer", "preprocessing", "\"none\"", "[]"},
});

inline constexpr std::array kWordFlags = std::to_array<WordFlag>({
    {"VQAMED2019", "question_preprocessing", "tokenize", "tokenize_questions", "all"},
    {"VQAMED2019", "answer_preprocessing", "tokenize", "tokenize_answers",
     "lowercase,remove_punctuation"},
});

inline constexpr std::array<std::string_view, 5> kWithVocabulary = {
    "LabelIndexer", "SentenceEmbeddings", "SentenceIndexer", "SentenceOneHotEncoder",
    "WordDecoder"};

inline std::string_view type_in_ptp(std::string_view type) {
    const auto found = std::ranges::find(kTypes, type, &TypeName::from);
    return found == kTypes.end() ? type : found->to;
}

// Returns nullopt unless the key is known to have no counterpart.
inline std::optional<GoneKey> gone_key(std::string_view where, std::string_view key) {
    for (const GoneKey& gone : kGoneKeys) {
        if ((gone.where == where || gone.where == "*") && gone.key == key) {
            return gone;
        }
    }
    return std::nullopt;
}

// Returns whether components of this type have PyTorchPipe's mix-in for vocabularies.
inline bool has_vocabulary(std::string_view type) {
    return std::ranges::find(kWithVocabulary, type) != kWithVocabulary.end();
}

}  // namespace ptp::importer
