// Lists of layers that are wrong in one way each, and everything that is said of them.

#include "experiments/support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace wrong_layers_test {

namespace {

struct WrongList {
    const char* what;  // is wrong
    const char* layers;
    const char* problems;
};

// A "+" at the end stands for the rest of a list that is right: images become scores of classes.
std::string problems_of_list(std::string layers, const std::string& loss = "NLLLoss") {
    if (layers.ends_with('+')) {
        layers.pop_back();
        layers += ", \"Flatten\", { type = \"Linear\", out = \"num_classes\" }, \"LogSoftmax\"]";
    }
    return ptp::test::problems_of(ptp::test::experiment_of_layers(layers) +
                                  "[pipeline.loss]\ntype = \"" + loss + "\"\n");
}

}  // namespace

TEST_CASE("wrong layers: what is right has no problems") {
    CHECK(
        problems_of_list("layers = [{ type = \"Conv2d\", out = 8, kernel = 5 }, \"ReLU\", { type = "
                         "\"MaxPool2d\", kernel = 2 }+") == "");
    // Height and width each have their own limits, as in torch.nn.
    CHECK(problems_of_list("layers = [{ type = \"MaxPool2d\", kernel = [3, 1], padding = [1, 0] }, "
                           "{ type = \"ConvTranspose2d\", out = 3, kernel = 2, stride = [1, 2], "
                           "output_padding = [0, 1] }+") == "");
    CHECK(problems_of_list("layers = [{ type = \"Conv2d\", out = 8, kernel = [1, 127], padding = "
                           "\"same\", padding_mode = \"reflect\" }, { type = \"MaxPool2d\", "
                           "kernel = 65, stride = 2, ceil_mode = true }+") == "");
}

TEST_CASE("wrong layers: a softmax before a loss that has one is left out") {
    CHECK(problems_of_list("layers = [\"Flatten\", { type = \"Linear\", out = \"num_classes\" }, "
                           "\"Softmax\"]",
                           "CrossEntropyLoss") ==
          "e.toml:10:1: pipeline.loss: stream 'predictions' carries probabilities, which "
          "CrossEntropyLoss does not take\n"
          "    layer 2 of 'net' (Softmax) writes probabilities as 'outputs'\n"
          "    'loss' (CrossEntropyLoss) takes raw scores, log-probabilities or numbers of any "
          "range as 'predictions'\n"
          "    fix: leave out pipeline.net.layers[2], \"Softmax\"");
}

TEST_CASE("wrong layers: a component alone takes the same words in place of numbers") {
    const std::string conv =
        "\n[pipeline.conv]\ntype = \"Conv2d\"\nout_channels = 2\nkernel_size = 4\n"
        "streams = { inputs = \"inputs\", outputs = \"maps\" }\n";
    const std::string net =
        "layers = [\"Flatten\", { type = \"Linear\", out = \"num_classes\" }, \"LogSoftmax\"]";
    CHECK(problems_of_list(net + conv + "padding = \"same\"\nstride = 2\n") ==
          "e.toml:16:10: pipeline.conv.stride = [2]: must be 1 with padding = \"same\"");
    CHECK(
        problems_of_list(net + conv + "padding = \"some\"\n") ==
        "e.toml:15:11: pipeline.conv.padding = \"some\": must be an integer or a list of integers "
        "in [0, inf), not a string");
}

TEST_CASE("wrong layers: each message has the place, the cause and what is right") {
    const WrongList lists[] = {
        {"no layers at all", "",
         "e.toml:6:1: pipeline.net.layers: required, but missing: a list of layers (The "
         "layers in their order)"},
        {"no list", "layers = \"ReLU\"",
         "e.toml:9:10: pipeline.net.layers = \"ReLU\": must be a list of layers"},
        {"a number in the list", "layers = [5+",
         "e.toml:9:11: pipeline.net.layers[0] = 5: must be the name of a layer, a table with "
         "`type`, or a list of layers"},
        {"unknown type", "layers = [{ type = \"Conv2D\", out = 8, kernel = 5 }+",
         "e.toml:9:20: pipeline.net.layers[0].type = \"Conv2D\": there is no layer of this "
         "name; did you mean 'Conv2d'?\n    fix: write \"Conv2d\""},
        {"unknown bare", "layers = [\"Relu\"+",
         "e.toml:9:11: pipeline.net.layers[0].type = \"Relu\": there is no layer of this "
         "name; did you mean 'ReLU'?\n    fix: write \"ReLU\""},
        {"a call of Python", "layers = [\"nn.Conv2d(1, 16, 5)\"+",
         "e.toml:9:11: pipeline.net.layers[0].type = \"nn.Conv2d(1, 16, 5)\": is not the name of "
         "a layer, but a call of Conv2d\n    fix: write a table, { type = \"Conv2d\", ... }: "
         "ptp-inspect Conv2d lists its settings"},
        {"a call without arguments", "layers = [\"nn.ReLU()\"+",
         "e.toml:9:11: pipeline.net.layers[0].type = \"nn.ReLU()\": there is no layer of this "
         "name; did you mean 'ReLU'?\n    fix: write \"ReLU\""},
        {"the size of the input",
         "layers = [{ type = \"Conv2d\", in_channels = 1, out = 8, kernel = 5 }+",
         "e.toml:9:30: pipeline.net.layers[0].in_channels: unknown setting: the size of the input "
         "is known\n    fix: leave it out"},
        {"familiar", "layers = [{ type = \"Dense\", out = 8 }+",
         "e.toml:9:20: pipeline.net.layers[0].type = \"Dense\": there is no layer of this "
         "name; did you mean 'Linear'?"},
        {"familiar by two words", "layers = [\"BatchNormalization\"+",
         "e.toml:9:11: pipeline.net.layers[0].type = \"BatchNormalization\": there is no layer of "
         "this name; did you mean 'BatchNorm2d'?\n    fix: write \"BatchNorm2d\""},
        {"an activation that is not here", "layers = [\"ELU\"+",
         "e.toml:9:11: pipeline.net.layers[0].type = \"ELU\": there is no layer of this name; did "
         "you mean 'LeakyReLU'?\n    fix: write \"LeakyReLU\""},
        {"a reshaping to vectors", "layers = [\"View\"+",
         "e.toml:9:11: pipeline.net.layers[0].type = \"View\": there is no layer of this name; did "
         "you mean 'Flatten'?\n    fix: write \"Flatten\""},
        {"a setting that says nothing", "layers = [{ type = \"ReLU\", inplace = true }+",
         "e.toml:9:28: pipeline.net.layers[0].inplace: unknown setting\n    fix: leave it out: it "
         "changes no result"},
        {"a familiar share", "layers = [{ type = \"Dropout\", rate = 0.5 }+",
         "e.toml:9:31: pipeline.net.layers[0].rate: unknown setting; did you mean 'p'?\n    fix: "
         "write p = 0.5 in place of rate"},
        {"a familiar number of units, by a formula",
         "layers = [\"Flatten\", { type = \"Linear\", units = \"num_classes\" }+",
         "e.toml:9:41: pipeline.net.layers[1].units: unknown setting; did you mean "
         "'out_features'?\n    fix: write out_features = \"num_classes\" in place of units"},
        {"familiar by its purpose", "layers = [\"GlobalAveragePooling2D\"+",
         "e.toml:9:11: pipeline.net.layers[0].type = \"GlobalAveragePooling2D\": there is no layer "
         "of this name; did you mean 'AdaptiveAvgPool2d'?"},
        {"type of another plugin", "layers = [\"LeNet5\"+",
         "e.toml:9:11: pipeline.net.layers[0].type = \"LeNet5\": there is no layer of this name; "
         "known: AdaptiveAvgPool2d, AvgPool2d, BatchNorm1d, BatchNorm2d, Concat, Conv1d, Conv2d, "
         "ConvTranspose2d, Dropout, Embedding, Flatten, GELU, GRU, GroupNorm, Identity, LSTM, "
         "LayerNorm, LayerStack, LeakyReLU, Linear, LogSoftmax, MaxPool2d, MultiheadAttention, "
         "ReLU, Residual, SiLU, Sigmoid, Softmax, Tanh, TransformerEncoderLayer, Transpose, Unflatten, Upsample"},
        {"type not a string", "layers = [{ type = 3 }+",
         "e.toml:9:20: pipeline.net.layers[0].type = 3: must be the name of a layer, a string"},
        {"no type", "layers = [{ out = 8, kernel = 5 }+",
         "e.toml:9:11: pipeline.net.layers[0] = { out = 8, kernel = 5 }: has no `type`\n"
         "    fix: write type = \"Linear\", for example, or layers = [...] for a block of layers"},
        {"misspelled setting", "layers = [{ type = \"Conv2d\", out = 8, kernel = 5, striide = 2 }+",
         "e.toml:9:51: pipeline.net.layers[0].striide: unknown setting; did you mean 'stride'?"},
        {"a setting twice",
         "layers = [{ type = \"Conv2d\", out = 8, out_channels = 9, kernel = 5 }+",
         "e.toml:9:39: pipeline.net.layers[0].out_channels: 'out_channels' is given twice, once by "
         "its first words\n    fix: leave one of them out"},
        {"missing setting", "layers = [{ type = \"Conv2d\", out = 8 }+",
         "e.toml:9:11: pipeline.net.layers[0].kernel_size: required, but missing: an integer "
         "or a list of integers in [1, inf) (Height and width of a filter)"},
        {"bare with required", "layers = [\"Conv2d\"+",
         "e.toml:9:11: pipeline.net.layers[0].out_channels: required, but missing: an integer "
         "in [1, inf) (Number of filters)\n"
         "e.toml:9:11: pipeline.net.layers[0].kernel_size: required, but missing: an integer "
         "or a list of integers in [1, inf) (Height and width of a filter)"},
        {"out of range", "layers = [{ type = \"Conv2d\", out = 0, kernel = 5 }+",
         "e.toml:9:36: pipeline.net.layers[0].out_channels = 0: must be in [1, inf)"},
        {"wrong type of value", "layers = [{ type = \"Dropout\", p = \"half\" }+",
         "e.toml:9:35: pipeline.net.layers[0].p = \"half\": must be a real in [0, 1), not a "
         "string"},
        {"wrong length", "layers = [{ type = \"Conv2d\", out = 8, kernel = [5, 5, 5] }+",
         "e.toml:9:48: pipeline.net.layers[0].kernel_size = [5, 5, 5]: must have 1 to 2 "
         "items, has 3"},
        {"wrong choice", "layers = [{ type = \"Linear\", out = 8, weight_init = \"xavier\" }+",
         "e.toml:9:53: pipeline.net.layers[0].weight_init = \"xavier\": must be one of "
         "default, kaiming_uniform, kaiming_normal, xavier_uniform, xavier_normal, "
         "orthogonal, normal, zeros, ones"},
        {"rank",
         "layers = [{ type = \"Conv2d\", out = 8, kernel = 5 }, \"Flatten\", { type = "
         "\"MaxPool2d\", kernel = 2 }+",
         "e.toml:9:64: pipeline.net.layers[2]: takes 4 dimensions as 'inputs', but stream "
         "'net.1' has 2\n"
         "    layer 1 of 'net' (Flatten) writes [B, 28800] as 'outputs'\n"
         "    layer 2 of 'net' (MaxPool2d) reads [B, channels, height, width] as 'inputs'\n"
         "    fix: move pipeline.net.layers[2] before pipeline.net.layers[1]"},
        {"kernel too large", "layers = [{ type = \"Conv2d\", out = 8, kernel = 65 }+",
         "e.toml:9:48: pipeline.net.layers[0].kernel_size = [65]: must be at most the height "
         "of its input with the padding; take larger images, smaller kernels or more padding: "
         "height is 64, so at most 64 fits"},
        {"pool too large", "layers = [{ type = \"MaxPool2d\", kernel = [2, 70] }+",
         "e.toml:9:42: pipeline.net.layers[0].kernel_size = [2, 70]: must be at most the "
         "width of its input with the padding; take larger images, smaller kernels or more "
         "padding: width is 64, so at most 64 fits"},
        {"same with a stride",
         "layers = [{ type = \"Conv2d\", out = 8, kernel = 5, stride = 2, padding = \"same\" }+",
         "e.toml:9:60: pipeline.net.layers[0].stride = [2]: must be 1 with padding = \"same\""},
        {"two paddings",
         "layers = [{ type = \"Conv2d\", out = 8, kernel = 5, padding = 2, padding_same = true }+",
         "e.toml:9:61: pipeline.net.layers[0].padding = [2]: must be left out with padding = "
         "\"same\""},
        {"same, and not",
         "layers = [{ type = \"Conv2d\", out = 8, kernel = 5, padding = \"same\", padding_same = "
         "false }+",
         "e.toml:9:84: pipeline.net.layers[0].padding_same = false: padding = \"same\" is beside "
         "it, which means true\n"
         "    fix: leave padding_same out"},
        {"no such padding",
         "layers = [{ type = \"Conv2d\", out = 8, kernel = 5, padding = \"some\" }+",
         "e.toml:9:11: pipeline.net.layers[0]: 'some' in a formula is neither a size of "
         "Conv2d nor a global that a component publishes; known: caption_word_mappings, "
         "image_depth, image_height, image_width, label_word_mappings, num_classes, num_segment_classes"},
        {"no padding in the words of PyTorch",
         "layers = [{ type = \"Conv2d\", out = 8, kernel = 5, padding = \"valid\" }+",
         "e.toml:9:61: pipeline.net.layers[0].padding = \"valid\": must be an integer or a list of "
         "integers in [0, inf), not a string\n"
         "    fix: write padding = 0"},
        {"reflected too far",
         "layers = [{ type = \"Conv2d\", out = 8, kernel = 5, padding = [1, 64], padding_mode = "
         "\"reflect\" }+",
         "e.toml:9:61: pipeline.net.layers[0].padding = [1, 64]: must be less than the size "
         "of its input there, for padding_mode = \"reflect\": width is 64"},
        {"reflected too far by the kernel",
         "layers = [{ type = \"Conv2d\", out = 8, kernel = [1, 128], padding = \"same\", "
         "padding_mode = \"reflect\" }+",
         "e.toml:9:48: pipeline.net.layers[0].kernel_size = [1, 128]: needs a padding of half "
         "of it, which must be less than the size of its input there, for padding_mode = "
         "\"reflect\": width is 64"},
        {"wrapped too far",
         "layers = [{ type = \"Conv2d\", out = 8, kernel = 5, padding = [65, 1], padding_mode = "
         "\"circular\" }+",
         "e.toml:9:61: pipeline.net.layers[0].padding = [65, 1]: must be at most the size of its "
         "input there, for padding_mode = \"circular\": height is 64"},
        {"pool too large, rounded up",
         "layers = [{ type = \"MaxPool2d\", kernel = 66, stride = 2, ceil_mode = true }+",
         "e.toml:9:42: pipeline.net.layers[0].kernel_size = [66]: must be at most the height "
         "of its input with the padding and stride - 1, which ceil_mode adds: height is "
         "64, stride = [2]"},
        {"groups", "layers = [{ type = \"Conv2d\", out = 8, kernel = 5, groups = 2 }+",
         "e.toml:9:60: pipeline.net.layers[0].groups = 2: must divide the channels of its "
         "input: in_channels is 3"},
        {"forgotten flatten",
         "layers = [{ type = \"Conv2d\", out = 8, kernel = 5 }, { type = \"Linear\", out = "
         "\"num_classes\" }, \"LogSoftmax\"]",
         "e.toml:10:1: pipeline.loss: takes 2 dimensions as 'predictions', but stream "
         "'predictions' has 4\n"
         "    'net' (LayerStack) writes [B, 8, 60, num_classes = 4] as 'outputs'\n"
         "    'loss' (NLLLoss) reads [B, classes] as 'predictions'\n"
         "    fix: insert \"Flatten\" before pipeline.net.layers[1]"},
        {"probabilities for a loss of log-probabilities",
         "layers = [\"Flatten\", { type = \"Linear\", out = \"num_classes\" }, \"Softmax\"]",
         "e.toml:10:1: pipeline.loss: stream 'predictions' carries probabilities, which NLLLoss "
         "does not take\n"
         "    layer 2 of 'net' (Softmax) writes probabilities as 'outputs'\n"
         "    'loss' (NLLLoss) takes log-probabilities as 'predictions'\n"
         "    fix: write \"LogSoftmax\" in place of \"Softmax\" as pipeline.net.layers[2]"},
        {"forgotten logsoftmax",
         "layers = [\"Flatten\", { type = \"Linear\", out = \"num_classes\" }]",
         "e.toml:10:1: pipeline.loss: stream 'predictions' carries raw scores, which NLLLoss "
         "does not take\n"
         "    layer 1 of 'net' (Linear) writes raw scores as 'outputs'\n"
         "    'loss' (NLLLoss) takes log-probabilities as 'predictions'\n"
         "    fix: set pipeline.loss.type = \"CrossEntropyLoss\", which takes raw scores"},
        {"unknown global",
         "layers = [\"Flatten\", { type = \"Linear\", out = \"num_clases\" }, \"LogSoftmax\"]",
         "e.toml:9:22: pipeline.net.layers[1]: 'num_clases' in a formula is neither a size of "
         "Linear nor a global that a component publishes; did you mean 'num_classes'?"},
        {"a size that a layer of any shape does not name",
         "layers = [\"Flatten\", { type = \"Linear\", out = \"in_features * 2\" }, \"LogSoftmax\"]",
         "e.toml:9:22: pipeline.net.layers[1]: 'in_features' in a formula is neither a size of "
         "Linear nor a global that a component publishes\n"
         "    fix: write inputs[-1] there, the size of the last dimension of its input"},
        {"bad formula",
         "layers = [\"Flatten\", { type = \"Linear\", out = \"2 *\" }, \"LogSoftmax\"]",
         "e.toml:9:47: pipeline.net.layers[1].out_features = \"2 *\": is neither an integer "
         "nor a formula: expected a number, a name, '$', '(' or '-' but found the end"},
        {"formula out of range",
         "layers = [\"Flatten\", { type = \"Linear\", out = \"num_classes - 4\" }, \"LogSoftmax\"]",
         "e.toml:9:47: pipeline.net.layers[1].out_features = 0: must be in [1, inf)"},
        {"formula of setting",
         "layers = [\"Flatten\", { type = \"Linear\", out = \"$bias\" }, \"LogSoftmax\"]",
         "e.toml:9:47: pipeline.net.layers[1].out_features = \"$bias\": is neither an integer "
         "nor a formula: it has names, numbers, + - * / % and min() max() only"},
        {"repeat 0", "layers = [{ type = \"Linear\", out = 4, repeat = 0 }+",
         "e.toml:9:48: pipeline.net.layers[0].repeat = 0: must be in [1, 1000]"},
        {"repeat text", "layers = [{ type = \"Linear\", out = 4, repeat = \"three\" }+",
         "e.toml:9:48: pipeline.net.layers[0].repeat = \"three\": must be an integer in [1, "
         "1000], not a string"},
        {"name", "layers = [{ type = \"Linear\", out = 4, name = \"1st\" }+",
         "e.toml:9:46: pipeline.net.layers[0].name = \"1st\": must be a name of letters, "
         "digits and '_', a letter first"},
        {"name twice",
         "layers = [{ type = \"Linear\", out = 4, name = \"a\" }, { type = \"Linear\", out = "
         "4, name = \"a\" }+",
         "e.toml:9:88: pipeline.net.layers[1].name = \"a\": is the name of another layer of "
         "this list"},
        {"unknown stream",
         "layers = [{ type = \"Linear\", out = 4, streams = { outputs = \"hidden\" } }, { "
         "type = \"Linear\", out = 4, streams = { inputs = \"hiden\" } }+",
         "e.toml:9:124: pipeline.net.layers[1]: input 'inputs' reads stream 'hiden', which neither "
         "an input of 'net' nor an earlier layer of the list has; did you mean 'hidden'?"},
        {"unknown port",
         "layers = [{ type = \"Linear\", out = 4, streams = { output = \"hidden\" } }+",
         "e.toml:9:51: pipeline.net.layers[0].streams.output: Linear has no port of this "
         "name; did you mean 'outputs'?"},
        {"stream twice",
         "layers = [{ type = \"Linear\", out = 4, streams = { outputs = \"hidden\" } }, { "
         "type = \"Linear\", out = 4, streams = { outputs = \"hidden\" } }+",
         "e.toml:9:125: pipeline.net.layers[1]: output 'outputs' writes stream 'hidden', "
         "which is there already"},
        {"streams no table", "layers = [{ type = \"Linear\", out = 4, streams = \"hidden\" }+",
         "e.toml:9:49: pipeline.net.layers[0].streams = \"hidden\": must be a table of "
         "strings, not a string"},
        {"block unknown key", "layers = [{ layers = [\"ReLU\"], repeats = 3 }+",
         "e.toml:9:32: pipeline.net.layers[0].repeats: unknown key of a block; did you mean "
         "'repeat'?"},
        {"block not list", "layers = [{ layers = \"ReLU\" }+",
         "e.toml:9:22: pipeline.net.layers[0].layers = \"ReLU\": must be a list of layers"},
        {"in block", "layers = [[\"ReLU\", { type = \"Linear\", out = 4, biass = false }]+",
         "e.toml:9:48: pipeline.net.layers[0][1].biass: unknown setting; did you mean 'bias'?"},
        {"residual",
         "layers = [{ type = \"Residual\", layers = [{ type = \"Conv2d\", out = 8, kernel = "
         "3, padding = 1 }] }+",
         "e.toml:9:11: pipeline.net.layers[0]: what its layers make has another shape than "
         "what it is added to; give it a shortcut that changes the shape as well: layers "
         "makes [B, 8, 64, 64], the input is [B, 3, image_height = 64, image_width = 64]"},
        {"residual without", "layers = [{ type = \"Residual\" }+",
         "e.toml:9:11: pipeline.net.layers[0].layers: required, but missing: a list of layers "
         "(The layers in their order)"},
        {"concat sizes",
         "layers = [{ type = \"Concat\", branches = [[{ type = \"Conv2d\", out = 8, kernel = "
         "3 }], []] }+",
         "e.toml:9:11: pipeline.net.layers[0].dim = 1 (by default): the branches must have "
         "one size in dimension 2, since dim is another: branches[0] makes [B, 8, 62, 62], the input is [B, 3, image_height = 64, image_width = 64]"},
        {"concat ranks", "layers = [{ type = \"Concat\", branches = [[\"Flatten\"], []] }+",
         "e.toml:9:11: pipeline.net.layers[0]: its branches must have as many dimensions "
         "each: branches[0] makes [B, 12288], the input is [B, 3, image_height = 64, image_width = 64]"},
        {"concat no lists", "layers = [{ type = \"Concat\", branches = [\"ReLU\"] }+",
         "e.toml:9:42: pipeline.net.layers[0].branches[0] = \"ReLU\": must be a list of layers"},
        {"embedding of floats", "layers = [{ type = \"Embedding\", num = 5, embedding = 8 }+",
         "e.toml:9:11: pipeline.net.layers[0]: input 'inputs' takes integers, but stream "
         "'inputs' carries floating numbers"},
        {"softmax dim", "layers = [\"Flatten\", { type = \"LogSoftmax\", dim = 2 }]",
         "e.toml:9:51: pipeline.net.layers[1].dim = 2: must be a dimension of its input: "
         "the input is [B, 12288]"},
        {"one class", "layers = [\"Flatten\", { type = \"Linear\", out = 1 }, \"LogSoftmax\"]",
         "e.toml:9:52: pipeline.net.layers[2].dim = 1 (by default): its input has a single "
         "number there, so that nothing is learned: the input is [B, 1]\n"
         "e.toml:10:1: pipeline.loss: compares the scores of classes: with a single one the "
         "loss is always 0: classes is 1\n"
         "    fix: for a score of each class, set pipeline.net.layers[1].out_features = "
         "\"num_classes\""},
        {"heads",
         "layers = [{ type = \"Flatten\", start = 2 }, { type = \"MultiheadAttention\", "
         "num_heads = 5 }+",
         "e.toml:9:87: pipeline.net.layers[1].num_heads = 5: must divide the size of a "
         "vector: embed_dim is 4096"},
        {"lengths of floats",
         "layers = [{ type = \"Flatten\", start = 2 }, { type = \"GRU\", hidden = 5, streams = { "
         "lengths = \"inputs\" } }+",
         "e.toml:9:94: pipeline.net.layers[1]: input 'lengths' takes integers, but stream "
         "'inputs' carries floating numbers"},
        {"unknown lengths",
         "layers = [{ type = \"Flatten\", start = 2 }, { type = \"LSTM\", hidden = 5, streams = { "
         "lengths = \"length\" } }+",
         "e.toml:9:95: pipeline.net.layers[1]: input 'lengths' reads stream 'length', which "
         "neither an input of 'net' nor an earlier layer of the list has; known: inputs, net.0"},
        {"masks of floats",
         "layers = [{ type = \"Flatten\", start = 2, streams = { outputs = \"rows\" } }, { type = "
         "\"MultiheadAttention\", num_heads = 2, streams = { masks = \"rows\" } }+",
         "e.toml:9:142: pipeline.net.layers[1]: input 'masks' takes booleans, but stream "
         "'rows' carries floating numbers"},
        {"a state of another size",
         "layers = [{ type = \"Flatten\", start = 2, streams = { outputs = \"rows\" } }, { type = "
         "\"GRU\", hidden = 5, streams = { output_state = \"end\" } }, { type = \"GRU\", hidden = "
         "6, streams = { inputs = \"rows\", input_state = \"end\" } }+",
         "e.toml:9:142: pipeline.net.layers[2]: stream 'end' has another shape than "
         "'input_state' takes\n"
         "    layer 1 of 'net' (GRU) writes [B, 1, 5] as 'output_state'\n"
         "    layer 2 of 'net' (GRU) reads [B, 1, 6] as 'input_state'\n"
         "    5: pipeline.net.layers[1].hidden_size\n"
         "    6: pipeline.net.layers[2].hidden_size\n"
         "    fix: set pipeline.net.layers[2].hidden_size = 5"},
        {"a state of another layer type",
         "layers = [{ type = \"Flatten\", start = 2, streams = { outputs = \"rows\" } }, { type = "
         "\"GRU\", hidden = 5, streams = { output_state = \"end\" } }, { type = \"LSTM\", hidden = "
         "5, streams = { inputs = \"rows\", input_state = \"end\" } }+",
         "e.toml:9:142: pipeline.net.layers[2]: takes 4 dimensions as 'input_state', but "
         "stream 'end' has 3\n"
         "    layer 1 of 'net' (GRU) writes [B, 1, 5] as 'output_state'\n"
         "    layer 2 of 'net' (LSTM) reads [B, 2, 1, 5] as 'input_state'"},
        {"layer norm", "layers = [{ type = \"LayerNorm\", normalized = [3, 64] }+",
         "e.toml:9:46: pipeline.net.layers[0].normalized_shape = [3, 64]: must be the last "
         "sizes of its input: the input is [B, 3, image_height = 64, image_width = 64], normalized_shape has 2 items"},
        {"more_outputs",
         "layers = [{ type = \"Flatten\", streams = { outputs = \"flat\" } }, { type = "
         "\"Linear\", out = 4 }, \"LogSoftmax\"]\n"
         "more_outputs = [\"flatt\"]",
         "e.toml:10:17: pipeline.net.more_outputs[0]: no layer writes a stream 'flatt'; did "
         "you mean 'flat'?"},
        {"a key of a component", "layers = [{ type = \"Linear\", out = 4, freeze = true }+",
         "e.toml:9:39: pipeline.net.layers[0].freeze: is a key of a component; a layer does "
         "not have it\n"
         "    fix: write freeze = [\"0\"] in pipeline.net"},
    };
    for (const WrongList& list : lists) {
        CHECK_MESSAGE(problems_of_list(list.layers) == list.problems, list.what);
    }
}

TEST_CASE("wrong layers: a formula may have the sizes of any layer's input") {
    const auto problems = [](const std::string& out) {
        return problems_of_list("layers = [\"Flatten\", { type = \"Linear\", out = \"" + out +
                                "\" }, \"LogSoftmax\"]");
    };
    CHECK(problems("inputs[-1] / 64") == "");
    CHECK(problems("outputs[1]").ends_with("names, numbers, + - * / % and min() max() only"));
}

}  // namespace wrong_layers_test
