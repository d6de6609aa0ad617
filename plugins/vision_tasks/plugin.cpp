// vision_tasks: tasks with images.

#include <ptp/entry.hpp>

class CIFAR10;
class CIFAR100;
class CLEVR;
class FashionMNIST;
class GQA;
class ImageFolder;
class MNIST;
class SegmentationFolder;
class Shapes;
class SimpleMolecules;
class SortOfCLEVR;
class VQAMED2019;
class WebDataset;

PTP_PLUGIN("vision_tasks", "0.1.0", CIFAR10, CIFAR100, CLEVR, FashionMNIST, GQA, ImageFolder, MNIST,
           SegmentationFolder, Shapes, SimpleMolecules, SortOfCLEVR, VQAMED2019, WebDataset);
