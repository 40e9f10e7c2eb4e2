// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/generated-graph.h"
#include "workload/models/generated-job.h"
#include "workload/models/model-parameters.h"
#include "workload/workload-model.h"

#include <fmt/format.h>

#include <array>

namespace nadi
{

namespace
{

/// A convolution with its batch norm, or the last, fully connected layer.
struct Layer
{
    std::string name;
    uint64_t inputs = 0;  ///< channels
    uint64_t outputs = 0; ///< channels
    uint64_t kernel = 1;  ///< pixels on a side
    uint64_t inputSide = 1;
    uint64_t outputSide = 1;
    bool hasBatchNorm = true;

    uint64_t Weights() const
    {
        return inputs * outputs * kernel * kernel;
    }

    /// With two numbers for each channel of a batch norm, or one, its bias.
    uint64_t Parameters() const
    {
        return Weights() + (hasBatchNorm ? 2 : 1) * outputs;
    }

    /// A convolution is a product of the patches of the image with its weights.
    Work Cost(uint64_t images, uint64_t elementBytes, NumberType type) const
    {
        const uint64_t input = MultiplyCounts({images, inputs, inputSide, inputSide});
        const uint64_t output = MultiplyCounts({images, outputs, outputSide, outputSide});
        return WorkOf({.op = KernelOp::Gemm,
                       .type = type,
                       // A row of the product is a patch, of which there is one for each pixel of
                       // the output.
                       .m = output / outputs,
                       .n = outputs,
                       .k = inputs * kernel * kernel,
                       .bytes = MultiplyCounts({input + output + Weights(), elementBytes}),
                       .operations = MultiplyCounts({2, output, inputs, kernel, kernel})});
    }
};

/// The bottleneck blocks of one stage, all of one width.
struct Stage
{
    uint64_t blocks = 0;
    uint64_t width = 0; ///< channels inside a block; it gives out four times as many
    uint64_t stride = 1;
};

/// The layers that have weights, from the image to the classes. `m_side` is the side of the picture
/// so far, in pixels: 224, 112 after the first convolution, 56 after the pooling, then half of it
/// in each of the last three stages, down to 7.
class LayerList
{
  public:
    // Padding makes a stride of 2 round up.
    explicit LayerList(uint64_t side)
        : m_side(ShareOf(side, 2))
    {
        m_layers.push_back({"first convolution", 3, 64, 7, side, m_side});
        m_side = ShareOf(m_side, 2); // pooling
        constexpr std::array<Stage, 4> stages{{{3, 64, 1}, {4, 128, 2}, {6, 256, 2}, {3, 512, 2}}};
        for (const Stage& stage : stages)
        {
            AddStage(stage);
        }
        m_layers.push_back({"classifier", m_channels, 1000, 1, 1, 1, false});
    }

    const std::vector<Layer>& Layers() const
    {
        return m_layers;
    }

  private:
    /// The stride is in the middle convolution of the first block, as in version 1.5.
    void AddStage(const Stage& stage)
    {
        for (uint64_t block = 0; block < stage.blocks; ++block)
        {
            const std::string name = fmt::format("width {} block {} ", stage.width, block);
            const uint64_t inputSide = m_side;
            const uint64_t inputs = m_channels;
            m_side = block == 0 ? ShareOf(m_side, stage.stride) : m_side;
            m_channels = 4 * stage.width;
            m_layers.push_back({name + "reduce", inputs, stage.width, 1, inputSide, inputSide});
            m_layers.push_back({name + "middle", stage.width, stage.width, 3, inputSide, m_side});
            m_layers.push_back({name + "expand", stage.width, m_channels, 1, m_side, m_side});
            if (block == 0)
            {
                // The input is added to the output, and only the first block of a stage changes the
                // sizes.
                m_layers.push_back({name + "shortcut", inputs, m_channels, 1, inputSide, m_side});
            }
        }
    }

    std::vector<Layer> m_layers;
    uint64_t m_channels = 64;
    uint64_t m_side;
};

} // namespace

/// ResNet-50 (He et al., "Deep residual learning for image recognition", CVPR 2016), version 1.5,
/// data parallel: 53 convolutions with batch norm and a classifier of 1000 classes, 25 557 032
/// parameters, 4.09 G multiplications for an image of 224 x 224. Layers run one after the other;
/// gradients are summed in buckets while the layers before are computed.
///
/// The update costs 2 operations for each parameter, and reads and writes it and its gradient.
class Resnet50Model : public WorkloadModel
{
  public:
    static constexpr const char* Help =
        "A training step of ResNet-50 (He et al., CVPR 2016; version 1.5) for image "
        "classification, with data parallelism.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return {MakeCount("batch",
                          "",
                          "The number of images in a training step, over all ranks. It must be a "
                          "multiple of the number of ranks.",
                          {.least = 1}),
                MakeCount("image",
                          "224",
                          "The number of pixels on each side of a square image.",
                          {.least = 32}),
                MakeNumberType("dtype",
                               "The type of all numbers, which sets how many bytes each of them "
                               "takes in messages and in memory."),
                {"bucket",
                 ParameterKind::Size,
                 "25 MiB",
                 "The size of the buckets in which gradients are collected. The gradients of a "
                 "bucket are summed over the ranks together, as soon as it is full; 0 B sums them "
                 "layer by layer."}};
    }

    explicit Resnet50Model(const Parameters& parameters)
        : m_batch(ReadCount(parameters, "batch"))
        , m_image(ReadCount(parameters, "image"))
        , m_elementBytes(SizeOfNumberType(parameters.Get<std::string>("dtype")))
        , m_elementType(ReadNumberType(parameters, "dtype"))
        , m_bucketBytes(static_cast<uint64_t>(parameters.Get<Bytes>("bucket").Count()))
    {
    }

    Workload Make(const JobPlace& place) const override
    {
        CheckDivides({"batch", "batch", m_batch, "the ranks,", place.ranks});
        GeneratedJob generated;
        generated.graphs.push_back(MakeGraph(place.ranks));
        generated.graphOfRank.assign(place.ranks, 0);
        return MakeGeneratedWorkload(std::move(generated));
    }

  private:
    using Ids = GeneratedGraph::Ids;

    ExecutionGraph MakeGraph(uint32_t ranks) const
    {
        const uint64_t images = m_batch / ranks;
        const LayerList list(m_image);
        const std::vector<Layer>& layers = list.Layers();
        GeneratedGraph graph("resnet-50");
        Ids after;
        for (const Layer& layer : layers)
        {
            after = {graph.AddCompute(
                layer.name + " forward", layer.Cost(images, m_elementBytes, m_elementType), after)};
        }
        Ids sums;
        Ids waiting; // kernels whose gradients are not summed yet
        uint64_t parameters = 0;
        uint64_t bucket = 0;
        for (size_t at = layers.size(); at-- > 0;)
        {
            const Layer& layer = layers[at];
            const Ids outputs = after;
            const Work cost = layer.Cost(images, m_elementBytes, m_elementType);
            // The gradient of the inputs first: the layer before waits for it. The image needs
            // none.
            if (at > 0)
            {
                after = {graph.AddCompute(
                    layer.name + " input gradient", MakeInputGradient(cost), outputs)};
            }
            waiting.push_back(graph.AddCompute(
                layer.name + " weight gradient", MakeWeightGradient(cost), outputs));
            parameters += layer.Parameters();
            bucket += layer.Parameters() * m_elementBytes;
            // With the first layer the last bucket goes, full or not.
            if (bucket >= m_bucketBytes || at == 0)
            {
                AddSum(graph, {layer.name, ranks, bucket}, waiting, sums);
                bucket = 0;
                waiting.clear();
            }
        }
        graph.AddUpdate(parameters, m_elementBytes, sums);
        return graph.Build();
    }

    /// Gradients that are summed together; named after the last layer that came in.
    struct Bucket
    {
        std::string name;
        uint32_t ranks;
        uint64_t bytes;
    };

    static void AddSum(GeneratedGraph& graph, const Bucket& bucket, const Ids& kernels, Ids& sums)
    {
        if (bucket.ranks == 1)
        {
            sums.insert(sums.end(), kernels.begin(), kernels.end());
            return;
        }
        sums.push_back(graph.AddCollective(
            bucket.name + " gradients", {CollectiveType::AllReduce, bucket.bytes, 0}, kernels));
    }

    uint64_t m_batch;
    uint64_t m_image;
    uint64_t m_elementBytes;
    NumberType m_elementType;
    uint64_t m_bucketBytes;
};

NADI_REGISTER(WorkloadModel, Resnet50Model, "resnet-50");

} // namespace nadi
