// Names of keys and settings in other programs, as tables.

#pragma once

#include "experiment/familiar.hpp"

#include <array>
#include <string_view>

namespace ptp::experiment {

inline constexpr std::array kKeys = {
    Familiar{"accumulate_grad_batches accumulation_steps gradient_accumulation_steps",
             "training.accumulate"},
    Familiar{"amsgrad", "training.optimizer.amsgrad"},
    Familiar{"base_lr learning_rate learning_rate_init lr", "training.optimizer.lr"},
    Familiar{"batch batch_size batchsize bs per_device_train_batch_size train_batch_size",
             "training.task.batch_size"},
    Familiar{"eval_batch_size per_device_eval_batch_size val_batch_size",
             "validation.task.batch_size"},
    Familiar{"callbacks stopping", "training.terminal_conditions"},
    Familiar{"better", "training.judge.better"},
    Familiar{"betas", "training.optimizer.betas"},
    Familiar{"criterion loss loss_fn", "pipeline.loss"},
    Familiar{"class_weight class_weights", "pipeline.loss.class_weights"},
    Familiar{"clip clip_grad_norm clip_gradients clipnorm global_clipnorm grad_clip grad_clip_norm "
             "gradient_clip gradient_clip_norm gradient_clip_val max_grad_norm",
             "training.gradient_clipping", "{{ norm = {} }}"},
    Familiar{"clip_value clipvalue", "training.gradient_clipping"},
    Familiar{"data dataset problem task", "training.task"},
    Familiar{"data_dir data_folder", "training.task.data_folder"},
    Familiar{"drop_last", "training.dataloader.drop_last"},
    Familiar{"early_stop_validations early_stopping early_stopping_patience patience",
             "training.terminal_conditions.early_stop_validations", "", "5"},
    Familiar{"ema use_ema", "training.weight_average", "", "{ decay = 0.999 }"},
    Familiar{"ema_decay", "training.weight_average.decay"},
    Familiar{"epoch epoch_limit epochs max_epoch max_epochs n_epochs nb_epoch "
             "num_epochs num_train_epochs",
             "training.terminal_conditions.epoch_limit"},
    Familiar{"episode_limit episodes iterations max_iter max_steps num_steps steps",
             "training.terminal_conditions.episode_limit"},
    Familiar{"gpu gpus accelerator", "device"},
    Familiar{"group_by_length sampler", "training.sampler"},
    Familiar{"decay l2 weight_decay", "training.optimizer.weight_decay"},
    Familiar{"limit_train_batches", "training.batch_limit"},
    Familiar{"limit_val_batches", "validation.batch_limit"},
    Familiar{"loss_stop_threshold", "training.terminal_conditions.loss_stop_threshold"},
    Familiar{"learning_rate_decay lr_decay", "training.scheduler", "",
             R"({ type = "ExponentialLR", gamma = 0.95 })"},
    Familiar{"lr_schedule lr_scheduler scheduler", "training.scheduler", "",
             R"({ type = "CosineAnnealingLR" })"},
    Familiar{"manual_seed random_seed random_state seed_everything seed_numpy seed_torch", "seed"},
    Familiar{"max_time time_limit wall_time", "training.terminal_conditions.wall_time"},
    Familiar{"amp bf16 fp16 mixed_precision precision use_amp", "training.precision"},
    Familiar{"exp_name experiment_name run_name", "name"},
    Familiar{"metrics statistics", "pipeline.statistics"},
    Familiar{"metric_for_best_model monitor", "training.judge"},
    Familiar{"model net network", "pipeline.model"},
    Familiar{"momentum", "training.optimizer.momentum"},
    Familiar{"nesterov", "training.optimizer.nesterov"},
    Familiar{"num_workers workers", "training.dataloader.num_workers"},
    Familiar{"optimizer", "training.optimizer"},
    Familiar{"prefetch_factor", "training.dataloader.prefetch"},
    Familiar{"save_every save_steps", "checkpoint.every_episodes"},
    Familiar{"save_total_limit", "checkpoint.keep"},
    Familiar{"shuffle", "training.dataloader.shuffle"},
    Familiar{"test_size val_split validation_split", "training.sampler"},
    Familiar{"logger logging tensorboard", "records.tensorboard", "{{ every_episodes = 1 }}"},
    Familiar{"fit train trainer", "training"},
    Familiar{"dev eval evaluate evaluation val valid validate", "validation"},
    Familiar{"warmup", "training.warm_up"},
    Familiar{"warmup_steps", "training.warm_up.episodes"},
};

inline constexpr std::array kKeysOfTables = {
    OfTable{"judge", {"metric monitor", "statistic"}},
    OfTable{"judge", {"direction mode objective", "better"}},
    OfTable{"optimizer", {"rho", "alpha"}},  // of RMSprop
    OfTable{"optimizer", {"epsilon", "eps"}},
    OfTable{"scheduler", {"epsilon min_delta", "threshold"}},
    OfTable{"gradient_clipping", {"clip_norm clipnorm max_norm", "norm"}},
    OfTable{"gradient_clipping", {"clip_value clipvalue max_value", "value"}},
    OfTable{"split", {"manual_seed random_seed random_state", "seed"}},
    OfTable{"split", {"fractions ratio ratios sizes test_size train_size val_size", "shares"}},
    OfTable{"warm_up",
            {"iterations iters num_steps num_warmup_steps steps warmup_steps", "episodes"}},
    OfTable{"sampler", {"k n_folds n_splits num_folds", "folds"}},
    OfTable{"freeze", {"epoch epochs n_epochs num_epochs until", "until_epoch"}},
    OfTable{"load", {"checkpoint ckpt file path run weights", "from"}},
    OfTable{"load", {"exclude exclude_keys ignore skip", "except"}},
    OfTable{"load", {"include include_keys", "only"}},
};

// Names of statistics.
inline constexpr std::array kStatistics = {
    Familiar{"acc", "accuracy"},
    Familiar{"auroc roc_auc", "auc"},
    Familiar{"expected_calibration_error", "ece"},
    Familiar{"f1 f1_score", "f1score"},
    Familiar{"mean_absolute_error", "mae"},
    Familiar{"map mean_ap", "mean_average_precision"},
    Familiar{"iou jaccard miou", "mean_iou"},
    Familiar{"mean_squared_error", "mse"},
    Familiar{"ppl", "perplexity"},
    Familiar{"r2_score r2score", "r2"},
    Familiar{"root_mean_squared_error", "rmse"},
    Familiar{"rouge rougel", "rouge_l"},
    Familiar{"wer", "word_error_rate"},
};

// Names for a warm-up that is counted in epochs.
inline constexpr std::string_view kEpochsOfWarmUp =
    "epoch epochs n_epochs num_epochs warm_up_epochs warmup_epochs";

inline constexpr std::string_view kBestIsKept =
    "leave it out: the best weights are kept, and predictions are made with them";
inline constexpr std::string_view kOneIsBest =
    "leave it out: the best weights are kept, one checkpoint of them; keep = N in [checkpoint] keeps "
    "the last N besides";
inline constexpr std::string_view kLogged =
    "leave it out: the statistics of each batch are in the run's folder";
inline constexpr std::string_view kClippedBy =
    "leave it out: gradient_clipping = { norm = 1.0 } limits the norm of all gradients, and a "
    "number each element";
inline constexpr std::string_view kProcesses = "leave it out; several processes train by --nproc N";
inline constexpr std::string_view kVerbose = "leave it out; --quiet shows less, and --verbose more";

// Names that say nothing in the tables of such a last name, and what to do.
inline constexpr std::array kSurplus = {
    OfTable{"scheduler", {"mode", "leave it out: training.judge decides it"}},
    OfTable{"scheduler", {"last_epoch verbose", "leave it out"}},
    OfTable{"scheduler", {"max_lr", "leave it out: the optimizer's lr is the highest one"}},
    OfTable{"", {"restore_best_weights save_best_only", kBestIsKept}},
    OfTable{"training", {"restore_best_weights save_best_only", kBestIsKept}},
    OfTable{"checkpoint", {"restore_best_weights save_best save_best_only", kBestIsKept}},
    OfTable{"", {"save_top_k", kOneIsBest}},
    OfTable{"training", {"save_top_k", kOneIsBest}},
    OfTable{"checkpoint", {"save_top_k", kOneIsBest}},
    OfTable{"dataloader",
            {"non_blocking pin_memory", "leave it out: it is so where a GPU is used"}},
    OfTable{"dataloader", {"persistent_workers timeout", "leave it out: workers are threads"}},
    OfTable{"", {"log_every_n_steps log_interval log_steps logging_steps", kLogged}},
    OfTable{"training", {"log_every_n_steps log_interval log_steps logging_steps", kLogged}},
    OfTable{"", {"gradient_clip_algorithm", kClippedBy}},
    OfTable{"training", {"gradient_clip_algorithm", kClippedBy}},
    OfTable{"", {"strategy worker", kProcesses}},
    OfTable{"training", {"strategy", kProcesses}},
    OfTable{"", {"verbose", kVerbose}},
};

// Settings that models have elsewhere, and that have no use here.
inline constexpr std::array kSurplusOfModels = {
    Familiar{"batch_first", "leave it out: the batch is always the first dimension"},
    Familiar{"d_model", "leave it out: it is the length of the vectors that are read"},
    Familiar{"inplace", "leave it out: it changes no result"},
    Familiar{"input_length seq_len seq_length sequence_length time_steps timesteps",
             "leave it out: the length of each batch is known"},
};

// Settings of components; those that the component at hand has are proposed.
inline constexpr std::array kSettings = {
    Familiar{"rnn_type", "cell_type"},
    Familiar{"class_weight weight weights", "class_weights"},
    Familiar{"data_dir folder path root", "data_folder"},
    Familiar{"is_train train", "use_train_data"},
    Familiar{"test_size train_size val_split validation_size validation_split", "split"},
    Familiar{"dropout dropout_p p rate", "dropout_rate"},
    Familiar{"drop_prob drop_rate dropout dropout_rate rate", "p"},
    Familiar{"filters n_filters nb_filter num_filters", "out_channels"},
    Familiar{"filter_size pool_size window", "kernel_size"},
    Familiar{"hidden_units output_dim output_size units", "out_features"},
    Familiar{"pos_weight", "positive_weights"},
    Familiar{"p prob probability", "horizontal"},
    Familiar{"p prob", "probability"},
    Familiar{"beam_size beams num_beams", "beam_width"},
    Familiar{"d_model embed_dim embedding_dim", "embeddings_size"},
    Familiar{"fasttext glove glove_file pretrained_embeddings vectors word_vectors",
             "pretrained_embeddings_file"},
    Familiar{"dim_feedforward ff_dim ffn_dim intermediate_size mlp_dim", "feedforward_size"},
    Familiar{"feedforward_size ff_dim ffn_dim intermediate_size mlp_dim", "dim_feedforward"},
    Familiar{"return_sequences", "prediction_mode"},
    Familiar{"columns feature_columns input_columns x x_columns", "features"},
    Familiar{"na_values nan_values null_values", "missing_values"},
    Familiar{"fillna imputation impute imputer", "missing"},
    Familiar{"data path", "file"},
    Familiar{"d_model hidden hidden_dim hidden_units num_hidden units", "hidden_size"},
    Familiar{"hidden hidden_dim hidden_dims hidden_layers hidden_size hidden_units layers "
             "num_hidden units",
             "hidden_sizes"},
    Familiar{"label_column target target_column y y_column", "label"},
    Familiar{"shape size", "output_dims"},
    Familiar{"image_size img_size resize size", "resize_image"},
    Familiar{"img_size resize resize_image", "image_size"},
    Familiar{"delimiter sep", "separator"},
    Familiar{"attention_heads heads n_head n_heads num_attention_heads num_heads", "nhead"},
    Familiar{"attention_heads heads n_head n_heads nhead num_attention_heads", "num_heads"},
    Familiar{"attention_heads heads n_head n_heads nhead num_heads", "num_attention_heads"},
    Familiar{"target target_column targets y y_column", "values"},
    // Globals, where the component reads one.
    Familiar{"classes n_classes num_classes num_labels out_features output_dim output_size",
             "prediction_size"},
    Familiar{"in_features input_dim input_features", "input_size"},
};

}  // namespace ptp::experiment
