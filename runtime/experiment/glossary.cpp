// The words of other programs, and what they are here, for help and for unknown keys.

#include "experiment/familiar_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace ptp::experiment {

namespace {

constexpr std::array kWords = {
    Word{"accumulate_grad_batches, gradient accumulation, gradient_accumulation_steps",
         "the key training.accumulate"},
    Word{"activation function",
         "the component NonLinearity, or a layer such as ReLU of a list: docs/networks.md"},
    Word{"AMP, mixed precision", "the key training.precision: \"bf16\" or \"fp16\""},
    Word{"augmentation, data augmentation",
         "a transform that is active in training only, such as RandomFlip"},
    Word{"batch normalization, layer normalization",
         "the layers BatchNorm1d, BatchNorm2d, LayerNorm and GroupNorm of a list: "
         "docs/networks.md"},
    Word{"batch", "a batch; its size is batch_size of the task, of all processes together"},
    Word{"callback",
         "a statistic, viewer or publisher component, or a table of [records]; EarlyStopping is in "
         "[training.terminal_conditions], ModelCheckpoint in [checkpoint]"},
    Word{"categorical feature, one-hot, one-hot encoding, OneHotEncoder, get_dummies",
         "a column of the task Table, which encodes its categories: docs/tables.md; of class "
         "numbers the transform OneHot"},
    Word{"beam search", "the setting beam_width of AttentionDecoder: docs/components.md"},
    Word{"checkpoint, ModelCheckpoint, checkpointing, save model",
         "a folder of RUN/checkpoints; [checkpoint] says when one is written"},
    Word{"checkpoint best, ModelCheckpoint, best model, best weights, save_best_only",
         "RUN/checkpoints/best has the weights that training.judge prefers, the lowest loss of the "
         "validation by default; --checkpoint best or last chooses"},
    Word{"class weights, class weight, class imbalance, imbalance, imbalanced, pos_weight",
         "class_weights or positive_weights of a loss, or the sampler ClassBalancedSampler: "
         "docs/experiments.md"},
    Word{"classification",
         "a task with classes, such as ImageFolder, TextFolder or Table with `label`; "
         "CrossEntropyLoss or NLLLoss, and AccuracyStatistics: docs/experiments.md"},
    Word{"CNN, convolutional network, convolution",
         "layers such as Conv2d in a list: docs/networks.md; whole ones are ConvNetEncoder and "
         "GenericImageEncoder"},
    Word{"collate_fn",
         "a task makes whole batches; lists are padded by ListToTensor and the indexers"},
    Word{"config", "an experiment: a TOML file"},
    Word{"constant, hyperparameter of a size",
         "a global: a named number such as num_classes, set by globals = { ... }"},
    Word{"contrastive learning, InfoNCE, CLIP",
         "the loss ContrastiveLoss behind the model ContrastiveProjection; RetrievalStatistics has "
         "recall@k"},
    Word{"criterion", "a loss component, such as NLLLoss or CrossEntropyLoss"},
    Word{"cross-validation, k-fold, k-fold cross-validation",
         "`ptprun cv EXPERIMENT.toml --folds N`"},
    Word{"data leakage, leakage",
         "`ptprun check` finds sections that read the samples of the training, and with --data one "
         "image in several parts of a table; split = { shares = ..., group = \"patient\" } keeps "
         "the rows of each patient in one part"},
    Word{"DataLoader", "the table dataloader of a section: num_workers, shuffle, drop_last"},
    Word{"dataset, DataModule", "a task: the component that loads samples, [training.task]"},
    Word{
        "deploy, inference, serve",
        "`ptprun predict RUN --data FILES`, or `--jsonl FILE` for lines of JSON, and `ptprun bundle "
        "RUN` for one file to take along; in "
        "a program the C API of libptp (docs/embedding.md) or Python (docs/python.md)"},
    Word{"early stopping, early stop, patience",
         "the key training.terminal_conditions.early_stop_validations"},
    Word{"embedding, word embedding",
         "IndexEmbeddings or SentenceEmbeddings, or the layer Embedding; in [pipeline]"},
    Word{"epoch", "an epoch: one pass over the training set; they are counted from 1"},
    Word{"epochs, max_epochs", "the key training.terminal_conditions.epoch_limit"},
    Word{
        "evaluate, test",
        "a validation is made after each epoch and the test at the end; later `ptprun process RUN`"},
    Word{"fine-tuning, fine-tune, transfer learning, pretrained, pretrained weights, load model, "
         "state_dict",
         "load = \"RUN\" or a file of a component, and freeze: docs/pretrained-weights.md"},
    Word{"fit, train", "`ptprun EXPERIMENT.toml`"},
    Word{"freeze, freeze_until, requires_grad, trainable, unfreeze, unfreeze_at",
         "freeze of a model component: true, a list of layers, or { until_epoch = 3 }"},
    Word{"GloVe, fastText, word2vec, word vectors",
         "pretrained_embeddings_file of SentenceEmbeddings, with GloVe's .txt or fastText's .vec: "
         "docs/experiments.md"},
    Word{"GPU, CUDA, device",
         "the key device = \"cuda\", or --device cuda: docs/training.md, On a GPU"},
    Word{"gradient clipping, clip_grad_norm_",
         "training.gradient_clipping = { norm = 1.0 }; a number clips each element"},
    Word{"hyperparameter search, hyperparameter tuning, tune, grid search, sweep, Optuna, Ray Tune",
         "`ptprun search`, or --set KEY=A,B for a grid: docs/training.md, Many trainings"},
    Word{"ignore, ignore_columns, drop_columns, exclude_columns",
         "\"ignore\" as the type of a column, columns = { NAME = \"ignore\" } of the task Table: "
         "docs/tables.md"},
    Word{"label encoder, LabelEncoder, class_to_idx",
         "a task numbers its classes in the order of their names, or of `classes`; other texts "
         "become numbers by LabelIndexer: docs/experiments.md"},
    Word{"layer, module, nn.Module", "a model component, or a part of one"},
    Word{"learning rate",
         "the key training.optimizer.lr; while it trains, `ptprun control RUN learning-rate`"},
    Word{"learning rate finder, LR finder, lr_find, range test",
         "`ptprun find-lr EXPERIMENT.toml`: docs/training.md"},
    Word{"log_dir, default_root_dir, output_dir", "the option --run-dir DIR of a training"},
    Word{"logger, log, wandb, Weights & Biases",
         "the tables of [records]: CSV is always written, TensorBoard and JSON lines on demand, "
         "which other programs read; `ptprun mlflow RUN` copies a run to MLflow: "
         "docs/records.md"},
    Word{"logits",
         "scores before a softmax: what CrossEntropyLoss and BCEWithLogitsLoss read; NLLLoss reads "
         "the logarithms of probabilities, which a model writes with use_logsoftmax = true"},
    Word{
        "metric",
        "a statistic: a component that measures each batch and each set, such as AccuracyStatistics"},
    Word{"missing value, missing values, NaN, imputation, fillna",
         "a rule of the task Table: missing = \"mean\", \"drop\" and others: docs/tables.md"},
    Word{"model, network", "a model component; several are connected by streams"},
    Word{"monitor", "the key training.judge: what decides which weights are best"},
    Word{"DDP, distributed data parallel, DataParallel, multi-GPU, torchrun, Slurm",
         "the option --nproc N: docs/distributed.md"},
    Word{"normalization, normalize",
         "normalize of a task with images, the component Normalize, and layers such as "
         "BatchNorm2d or LayerNorm; of numbers: standardize"},
    Word{"num_workers", "the key training.dataloader.num_workers: loader threads"},
    Word{"ONNX, TorchScript, export, convert",
         "`ptprun export RUN -o model.onnx`, or model.pt for TorchScript: docs/using-a-model.md"},
    Word{"optimizer, lr_scheduler, scheduler, schedule",
         "the keys training.optimizer and training.scheduler"},
    Word{"object detection, bounding box",
         "no component has boxes; a class for each pixel is a segmentation: docs/experiments.md, "
         "Losses"},
    Word{"overfitting, regularization",
         "early stopping, weight_decay of an optimizer, Dropout and augmentation are against it; "
         "--overfit N tries whether a model can learn N batches by heart"},
    Word{"padding, pad, masking, variable length",
         "SentenceIndexer, SentenceEmbeddings and ListToTensor fill up to the longest of a batch; "
         "use_lengths = true leaves it out: docs/experiments.md, Sequences of different lengths"},
    Word{"Parquet, Excel, spreadsheet, pandas, DataFrame",
         "the task Table reads CSV; for another file its error has the command that converts it: "
         "docs/tables.md; in Python a model predicts for a frame: docs/python.md"},
    Word{"predict", "`ptprun predict RUN --data FILES`"},
    Word{"profiler", "the option --profile of a training: docs/records.md"},
    Word{"progress bar, verbose, tqdm",
         "a training prints a line for each epoch; --quiet prints warnings and errors only: "
         "docs/records.md"},
    Word{"regression",
         "a task with `values`, such as Table, with MSELoss and RegressionStatistics: "
         "docs/tables.md, Values to predict"},
    Word{"reshape, view, squeeze, unsqueeze",
         "the component ReshapeTensor, or Flatten, also as a layer of a list"},
    Word{"resume, ckpt_path", "`ptprun resume RUN`"},
    Word{"saliency, Grad-CAM, attribution, interpretability",
         "`ptprun explain-prediction RUN --data FILES`: docs/explanations.md"},
    Word{"seed_everything, seed, reproducibility, determinism, deterministic",
         "the key seed, or the option --seed: the same seed computes the same bits; on a GPU see "
         "deterministic: docs/training.md, On a GPU"},
    Word{"split, train/validation split, train_test_split, val_split, holdout",
         "`split` of the task Table, or the sampler RandomSplitSampler in [training] and "
         "[validation]: docs/experiments.md"},
    Word{"standardize, StandardScaler, z-score",
         "the task Table does so with numbers, by the training's rows: docs/tables.md"},
    Word{"stratify, stratified",
         "`stratify` beside `shares` in `split` of the task Table, the sampler "
         "StratifiedSplitSampler, and `ptprun cv --stratified`: docs/tables.md, "
         "docs/experiments.md"},
    Word{"step, iteration, global_step", "an episode: one batch through the pipeline"},
    Word{"stop a running training", "`ptprun control RUN stop`"},
    Word{"stopping criterion", "a terminal condition: [training.terminal_conditions]"},
    Word{"TensorBoard, SummaryWriter",
         "the table [records.tensorboard]; `tensorboard --logdir runs` shows all runs"},
    Word{"tensor name, input, output",
         "a stream: a named value between components; their ends are ports"},
    Word{"tokenizer, vocabulary",
         "the transforms SentenceTokenizer, SentenceIndexer, SentencePieceTokenizer"},
    Word{"transpose, permute, swapaxes",
         "the layer Transpose exchanges two dimensions; ReshapeTensor changes the shape alone: "
         "docs/networks.md"},
    Word{"unknown words, OOV, out of vocabulary",
         "unknown = \"<UNK>\" of SentenceIndexer and others, which have it in additional_tokens: "
         "docs/experiments.md, Words and vocabularies"},
    Word{
        "val_loss, val_acc, validation loss",
        "the loss and the statistics of [validation], in the tables of a run and in `ptprun runs`; "
        "training.judge decides by one of them: docs/experiments.md"},
    Word{"warm up, warm-up, linear warm-up",
         "the key training.warm_up: docs/experiments.md, Schedules of the learning rate"},
    Word{"weight averaging, SWA, Polyak averaging",
         "training.weight_average = { decay = 0.999 }: docs/experiments.md"},
    Word{"threads, CPU cores", "the option --threads N: docs/training.md, Threads and memory"},
    Word{"ToTensor, PILToTensor", "not needed: a task writes images as numbers from 0 to 1"},
    Word{"Trainer", "a worker: offline (validates after epochs) or online (after episodes)"},
    Word{"transform", "a transform component, in [pipeline]"},
    Word{"version, experiment run", "a run: one training, with one folder runs/NAME/TIME"},
    Word{"writer, exporter", "a publisher component, such as StreamFileExporter"},
};

// The words of ptp that its documents use; CONTRIBUTING.md has those of its code.
constexpr std::array kOwnWords = {
    Word{"component",
         "a node of a pipeline, of a plugin; its kinds are task, model, loss, transform, "
         "statistic, publisher and viewer: `ptp-inspect` lists them, docs/components.md"},
    Word{"episode",
         "one batch through the pipeline, elsewhere a step or iteration; they are counted from 0"},
    Word{"experiment", "a TOML file: what is trained, on what and how: docs/experiments.md"},
    Word{"fold",
         "a part of the training set that a run of a cross-validation holds out: `ptprun cv`"},
    Word{"generation",
         "one loaded image of a plugin: the first is 1, and each swap brings the next"},
    Word{"global",
         "a named constant of a pipeline, such as the number of classes: a component publishes it "
         "while the pipeline is built, and others take their sizes from it; globals = { ... } "
         "renames them"},
    Word{"handshake",
         "the check of all ports and settings before anything runs; `ptprun check` makes it alone"},
    Word{"journal",
         "a file of a run: what was done to the training from outside, such as swaps: "
         "docs/run-folder.md"},
    Word{"judge",
         "what decides which weights are the best, the key training.judge: by default "
         "the loss of the validation"},
    Word{"loss", "a component that computes the number that the training makes small"},
    Word{"manifest",
         "what a plugin declares of its components, in its file: read without running its code"},
    Word{"pass", "one way through the samples of a section; one of the training set is an epoch"},
    Word{"pipeline",
         "the components of an experiment and the streams between them: [pipeline], "
         "which `ptprun draw` shows"},
    Word{"plugin", "a shared library with components, NAME.so: docs/authoring"},
    Word{"port",
         "a declared input or output of a component; a stream connects an output with "
         "inputs, and streams = { PORT = \"STREAM\" } chooses which"},
    Word{"processor", "the worker of `ptprun process`: it measures sections, and trains nothing"},
    Word{"publisher",
         "a component that writes what passes it to files, such as "
         "StreamFileExporter; elsewhere an exporter"},
    Word{"rank",
         "the number of a process among those that train together, from 0: "
         "docs/distributed.md"},
    Word{"reservoir",
         "batches in memory that are trained on again while others are loaded: "
         "dataloader = { mode = \"reservoir\" }"},
    Word{"run",
         "one execution of an experiment, with one folder, runs/NAME/TIME: "
         "docs/run-folder.md"},
    Word{"sampler",
         "what draws the samples of a section in their order, such as RandomSampler: "
         "the key training.sampler, docs/experiments.md"},
    Word{"seal",
         "a hash of a plugin's manifest and code, in its file; one that was changed since "
         "is not loaded"},
    Word{"section",
         "the data of an experiment for one purpose, with a task: [training], "
         "[validation], [test], and others by their names"},
    Word{"setting",
         "a value of a component in the experiment; `ptp-inspect NAME` lists those of "
         "a component"},
    Word{"statistic",
         "a component that measures each episode and each set, such as "
         "AccuracyStatistics, and a number that it measures; elsewhere a metric"},
    Word{"stream",
         "a named value, such as inputs or targets, that flows from one component to "
         "others in each episode"},
    Word{"swap",
         "the exchange of a plugin of a running training for another build, elsewhere hot "
         "reload: `ptprun swap RUN PLUGIN-FILE`, docs/hot-swap.md"},
    Word{"task",
         "the component that loads the samples of a section, [training.task]; elsewhere a "
         "dataset"},
    Word{"trial",
         "one training of a `ptprun search`; in `ptprun runs` also a run for trying, as "
         "by --overfit, --fast-dev-run or find-lr"},
    Word{"viewer", "a component that shows what passes it while it trains, such as StreamViewer"},
    Word{"worker",
         "what carries out a training: offline (validates after epochs) or online (after "
         "episodes), the option --worker"},
};

// Components of other frameworks, by the words with which summaries describe their purpose.
constexpr std::array kTypes = {
    Word{"AUROC, AUC, RocAuc, BinaryAUROC, MulticlassAUROC", "ROC curve"},
    Word{"BagOfWords, CountVectorizer, TfidfVectorizer", "BOW"},
    Word{"BCE, BCELoss, BinaryCrossentropy, BinaryCrossEntropy", "binary cross-entropy"},
    Word{"CategoricalCrossentropy, SparseCategoricalCrossentropy, CrossEntropy",
         "mean cross-entropy logits"},
    Word{"CE, softmax", "cross-entropy label smoothing"},
    Word{"F1, F1Score, MulticlassF1Score, BinaryF1Score", "F1 score"},
    Word{"JaccardIndex, MeanIoU", "intersection union"},
    Word{"KLDiv, KLDivLoss, KLDivergence", "cross-entropy soft targets"},
    Word{"L1, MAE, MAELoss, MeanAbsoluteError", "absolute difference"},
    Word{"L2, MSE, MeanSquaredError, RMSE", "squared difference between"},
    Word{"MAE, MeanAbsoluteError, MSE, MeanSquaredError, R2, R2Score, RMSE", "squared error"},
    Word{"Acc, MulticlassAccuracy, BinaryAccuracy, SparseCategoricalAccuracy, CategoricalAccuracy",
         "accuracy"},
    Word{"MulticlassConfusionMatrix, BinaryConfusionMatrix", "confusion matrix"},
    Word{"GlobalAveragePooling2D, GlobalAvgPool2d, AdaptiveAveragePooling2D", "means parts image"},
    Word{"GRUCell, RNN, RNNCell, SimpleRNN", "gated recurrent"},
    Word{"LSTMCell, RNN, RNNCell, SimpleRNN", "short-term memory"},
    Word{"ElmanRNN, RNN, RNNCell, SimpleRNN", "LSTM GRU network"},
    Word{"CSVDataset, DataFrame, TableDataset, Tabular, TabularData, TabularDataset",
         "typed columns table"},
    Word{"RandomHorizontalFlip, RandomVerticalFlip, HorizontalFlip", "mirrors images"},
    Word{"RandomRotation, RandomRotate, RandomTranslation, RandomZoom", "turns images random"},
    Word{"RandomErasing, RandomErase, Cutout", "Covers squares"},
    Word{"WordTokenizer", "SentenceTokenizer"},
    Word{"Tokenizer, TextVectorization", "Splits sentences words"},
    Word{"BPE, BPETokenizer, ByteLevelBPETokenizer", "pieces GPT-2"},
    Word{"BERT, BertModel", "texts both directions"},
    Word{"LogisticRegression, MLPClassifier, MLPRegressor, LinearRegression", "MLP dense layers"},
    Word{"ImageDataset, ImageFolderDataset", "Images one folder class"},
    Word{"SmoothL1, SmoothL1Loss", "squared differences linear"},
    Word{"CELU, ELU, PReLU, RReLU, SELU", "ReLU slope negative"},
    Word{"Hardswish, Mish, Swish", "logistic function swish"},
    Word{"Reshape, View", "joins dimensions one"},
    Word{"Reshape, View", "reshapes stream"},
    Word{"Concatenate, Concatenation, Merge, cat, hstack, stack, vstack", "joins streams"},
    Word{"Add", "output added to their input"},
};

std::string plain(std::string_view word) {
    std::string text;
    for (const char letter : word) {
        const bool divides = letter == '-' || letter == '_' || letter == ' ';
        if (!divides) {
            text += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
        }
    }
    return text;
}

bool has_name(const Word& word, std::string_view wanted) {
    std::string_view rest = word.name;
    while (!rest.empty()) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        if (plain(rest.substr(0, comma)) == wanted) {
            return true;
        }
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return false;
}

// Returns the meanings of a word, or of its singular.
std::vector<std::string_view> meanings_in(std::span<const Word> words, std::string_view word) {
    const std::string wanted = plain(word);
    const bool is_plural = wanted.ends_with('s') && !wanted.ends_with("ss");
    const std::string single = wanted.substr(0, wanted.size() - (is_plural ? 1 : 0));
    std::vector<std::string_view> meanings;
    for (const Word& known : words) {
        if (has_name(known, wanted) || has_name(known, single)) {
            meanings.push_back(known.meaning);
        }
    }
    return meanings;
}

}  // namespace

std::vector<std::string_view> words_of_type(std::string_view name) {
    std::vector<std::string_view> words;
    for (const Word& one : kTypes) {
        if (has_name(one, plain(name))) {
            words.push_back(one.meaning);
        }
    }
    return words;
}

std::span<const Word> glossary() {
    return kWords;
}

std::span<const Word> own_words() {
    return kOwnWords;
}

std::vector<std::string_view> own_meanings_of(std::string_view word) {
    return meanings_in(kOwnWords, word);
}

std::vector<std::string_view> meanings_of(std::string_view word) {
    return meanings_in(kWords, word);
}

}  // namespace ptp::experiment
