// layers: the layers of networks that are written as lists, and what contains them.

#include <ptp/entry.hpp>

class AdaptiveAvgPool2d;
class AvgPool2d;
class BatchNorm1d;
class BatchNorm2d;
class Concat;
class Conv1d;
class Conv2d;
class ConvTranspose2d;
class Dropout;
class Embedding;
class Flatten;
class GELU;
class GRU;
class GroupNorm;
class Identity;
class LSTM;
class LayerNorm;
class LayerStack;
class LeakyReLU;
class Linear;
class LogSoftmax;
class MaxPool2d;
class MultiheadAttention;
class ReLU;
class Residual;
class SiLU;
class Sigmoid;
class Softmax;
class Tanh;
class TransformerEncoderLayer;
class Transpose;
class Unflatten;
class Upsample;

PTP_PLUGIN("layers", "0.1.0", AdaptiveAvgPool2d, AvgPool2d, BatchNorm1d, BatchNorm2d, Concat,
           Conv1d, Conv2d, ConvTranspose2d, Dropout, Embedding, Flatten, GELU, GRU, GroupNorm,
           Identity, LSTM, LayerNorm, LayerStack, LeakyReLU, Linear, LogSoftmax, MaxPool2d,
           MultiheadAttention, ReLU, Residual, SiLU, Sigmoid, Softmax, Tanh,
           TransformerEncoderLayer, Transpose, Unflatten, Upsample);
