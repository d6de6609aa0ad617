#include "renames.hpp"

#include <algorithm>
#include <array>

namespace ptp::importer {

namespace {

constexpr std::array kTypes = std::to_array<TypeName>({
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

constexpr std::array kSectionKeys = std::to_array<SectionKey>({
    {"*", "problem", "task"},
    {"*.optimizer", "name", "type"},
    {"*.sampler", "name", "type"},
    {"*.terminal_conditions", "loss_stop", "loss_stop_threshold"},
});

constexpr std::array kComponentKeys = std::to_array<ComponentKey>({
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

constexpr std::array kGoneKeys = std::to_array<GoneKey>({
    {"*", "batch_size", "PyTorchPipe does not read it either", "batch_size of the section's task"},
    {"*", "curriculum_learning", "no task has a curriculum, in PyTorchPipe neither", ""},
    {"*", "seed_numpy", "one seed is for all that is random", "the experiment's seed"},
    {"*.dataloader", "pin_memory", "batches are copied to the device before they are needed", ""},
    {"*.dataloader", "timeout", "loader threads cannot be lost like processes", ""},
    {"*.dataloader", "batch_sampler", "PyTorchPipe does not read it either", ""},
    {"*.sampler", "epochs_per_fold", "a run has one fold",
     "a sweep over the folds: --set training.sampler.fold=0,1,2 and the same of the validation"},
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

constexpr std::string_view kImageNet =
    "{ mean = [0.485, 0.456, 0.406], std = [0.229, 0.224, 0.225] }";

constexpr std::array kOtherDefaults = std::to_array<OtherDefault>({
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

constexpr std::array kLostDefaults = std::to_array<LostDefault>({
    {"GenericImageEncoder", "pretrained", "load",
     "PyTorchPipe downloads weights trained on ImageNet; here it begins with random ones",
     "load, with a file of docs/pretrained-weights.md"},
});

constexpr std::array kOtherValues = std::to_array<OtherValue>({
    {"*", "image_preprocessing", "\"normalize\"", kImageNet, "normalize"},
    {"*", "image_preprocessing", "\"none\"", ""},
    {"*", "fixed_padding", "-1", ""},
    {"GenericImageEncoder", "pretrained", "false", ""},
    {"SentenceEmbeddings", "pretrained_embeddings_file", "\"mimic.fastText.no_clean.300d.pickled\"",
     "\"mimic.fastText.no_clean.300d.vec\""},
    {"SentenceTokenizer", "preprocessing", "\"none\"", "[]"},
});

constexpr std::array kWordFlags = std::to_array<WordFlag>({
    {"VQAMED2019", "question_preprocessing", "tokenize", "tokenize_questions", "all"},
    {"VQAMED2019", "answer_preprocessing", "tokenize", "tokenize_answers",
     "lowercase,remove_punctuation"},
});

constexpr std::array<std::string_view, 5> kWithVocabulary = {
    "LabelIndexer", "SentenceEmbeddings", "SentenceIndexer", "SentenceOneHotEncoder",
    "WordDecoder"};

}  // namespace

std::string_view type_in_ptp(std::string_view type) {
    const auto found = std::ranges::find(kTypes, type, &TypeName::from);
    return found == kTypes.end() ? type : found->to;
}

std::span<const SectionKey> section_keys() {
    return kSectionKeys;
}

std::span<const ComponentKey> component_keys() {
    return kComponentKeys;
}

std::span<const OtherDefault> other_defaults() {
    return kOtherDefaults;
}

std::span<const OtherValue> other_values() {
    return kOtherValues;
}

std::span<const LostDefault> lost_defaults() {
    return kLostDefaults;
}

std::span<const WordFlag> word_flags() {
    return kWordFlags;
}

std::optional<GoneKey> gone_key(std::string_view where, std::string_view key) {
    for (const GoneKey& gone : kGoneKeys) {
        if ((gone.where == where || gone.where == "*") && gone.key == key) {
            return gone;
        }
    }
    return std::nullopt;
}

bool has_vocabulary(std::string_view type) {
    return std::ranges::find(kWithVocabulary, type) != kWithVocabulary.end();
}

}  // namespace ptp::importer
