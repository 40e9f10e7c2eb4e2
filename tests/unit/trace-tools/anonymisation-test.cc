// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/trace-edit-bench.h"
#include "workload/document/node-attributes.h"
#include "workload/tools/editing/anonymisation.h"

#include <catch2/catch.hpp>

#include <charconv>
#include <set>

using namespace nadi;
using namespace nadi::test;

namespace
{

bool
IsDecimalText(const std::string& text)
{
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

void
CollectTexts(const ChakraProtoMsg::AttributeProto& attribute, std::set<std::string>& texts)
{
    texts.insert(attribute.string_val());
    texts.insert(attribute.bytes_val());
    texts.insert(attribute.doc_string());
    texts.insert(attribute.string_list().values().begin(), attribute.string_list().values().end());
}

/// Every text of a trace that could tell something: longer than three letters, and no number.
std::set<std::string>
TellingTextsOf(const TraceDocument& document)
{
    std::set<std::string> texts;
    for (const ChakraProtoMsg::Node& node : document.nodes)
    {
        texts.insert({node.name(), node.inputs().values(), node.outputs().values()});
        for (const ChakraProtoMsg::AttributeProto& attribute : node.attr())
        {
            CollectTexts(attribute, texts);
        }
    }
    for (const ChakraProtoMsg::AttributeProto& attribute : document.metadata.attr())
    {
        if (attribute.name() != "schema") // a version, by which readers know PyTorch
        {
            CollectTexts(attribute, texts);
        }
    }
    std::erase_if(texts,
                  [](const std::string& text) { return text.size() <= 3 || IsDecimalText(text); });
    return texts;
}

/// All but the names: what has to stay.
void
CheckRenamedGraph(const ExecutionGraph& before, const ExecutionGraph& after)
{
    REQUIRE(before.NodeCount() == after.NodeCount());
    std::map<std::string_view, std::string_view> names;
    for (uint32_t index = 0; index < before.NodeCount(); ++index)
    {
        ExecutionNode node = before.Node(index);
        node.name = after.Node(index).name;
        node.group = after.Node(index).group;
        CHECK(node == after.Node(index));
        CHECK(std::ranges::equal(before.Children(index), after.Children(index)));
        CHECK(names.try_emplace(before.Name(index), after.Name(index)).first->second ==
              after.Name(index));
    }
    std::set<std::string_view> different;
    for (const auto& [name, neutral] : names)
    {
        CHECK(different.insert(neutral).second);
    }
}

void
CheckAnonymous(const ScratchFolder& folder, const TraceJob& job)
{
    Anonymisation anonymisation(job);
    const auto documents = MakeDocuments(anonymisation);
    const Workload read = ReadBack(folder, documents, anonymisation.Groups());
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        const std::string bytes = FormatDocument(documents[rank]);
        for (const std::string& text : TellingTextsOf(ReadDocument(job.files[rank])))
        {
            INFO(text);
            CHECK(bytes.find(text) == std::string::npos);
        }
        CheckRenamedGraph(job.GraphOf(rank), read.GraphOf(RankId{rank}));
    }
    CHECK(read.communicators.size() == job.workload.communicators.size());
}

} // namespace

TEST_CASE("Anonymisation: splits, kinds of messages and kernels stay", "[trace-tools]")
{
    const ScratchFolder folder("anonymise-splits");
    TraceNode call = TraceNode(1, ChakraProtoMsg::COMM_COLL_NODE)
                         .Cpu(false)
                         .Int("comm_type", ChakraProtoMsg::ALL_TO_ALL)
                         .Int("comm_size", 20)
                         .Text("in_split_size", "[3, 7]");
    TraceNode send = TraceNode(2, ChakraProtoMsg::COMM_SEND_NODE)
                         .Cpu(false)
                         .Int("comm_dst", 0)
                         .Text("comm_kind", "dispatch");
    TraceNode product = Kernel(3).Text("kernels", "gemm bf16 n=8 m=2");
    const TraceJob job = MakeTraceJob(folder, "job", {{call, send, product}});
    Anonymisation anonymisation(job);
    const TraceDocument document = MakeDocuments(anonymisation).front();
    CHECK(ToText(GetAttribute(document.nodes[2], NodeAttribute::Kernels)) == "gemm bf16 n=8 m=2");
    CHECK(GetSplits(document.nodes[0], SplitList::In).numbers == std::vector<int64_t>{3, 7});
    CHECK(ToText(GetAttribute(document.nodes[1], NodeAttribute::Kind)) == "dispatch");
}

TEST_CASE("Anonymisation: words that a run reads stay, in every spelling that it takes",
          "[trace-tools]")
{
    const ScratchFolder folder("anonymise-words");
    TraceNode reduce = TraceNode(1, ChakraProtoMsg::COMM_COLL_NODE)
                           .Text("is_cpu_op", "False")
                           .Text("comm_type", "all_reduce")
                           .Int("comm_size", 20);
    TraceNode copy = TraceNode(2, ChakraProtoMsg::MEM_LOAD_NODE)
                         .Cpu(false)
                         .Text("mem_op", "COPY")
                         .Text("src_tier", "G3.5")
                         .Text("dst_tier", "G1")
                         .Int("bytes", 8);
    const TraceJob job = MakeTraceJob(folder, "job", {{reduce, copy}});
    Anonymisation anonymisation(job);
    CheckRenamedGraph(job.GraphOf(0), ReadBack(folder, anonymisation).GraphOf(RankId{0}));
}

TEST_CASE("Anonymisation: equal names stay equal on all ranks, and different ones different",
          "[trace-tools]")
{
    const ScratchFolder folder("anonymise-names");
    const auto named = [](uint64_t id, const std::string& name)
    { return TraceNode(id, ChakraProtoMsg::COMP_NODE, name); };
    const TraceJob job = MakeTraceJob(
        folder,
        "job",
        {{named(1, "secret"), named(2, "other")}, {named(1, "new"), named(2, "secret")}});
    Anonymisation anonymisation(job);
    const auto documents = MakeDocuments(anonymisation);
    CHECK(documents[0].nodes[0].name() == "compute_1");
    CHECK(documents[0].nodes[1].name() == "compute_2");
    CHECK(documents[1].nodes[0].name() == "compute_3");
    CHECK(documents[1].nodes[1].name() == "compute_1");
}

TEST_CASE("Anonymisation: attributes, tensors, metadata and unknown fields tell nothing",
          "[trace-tools]")
{
    const ScratchFolder folder("anonymise-attributes");
    TraceNode node = Kernel(1)
                         .Text("op_schema", "myproject::op(Tensor a)")
                         .Text("customer", "Contoso")
                         .Int("tensor_size", 12)
                         .Text("num_ops", "77");
    node.Add("layers").mutable_string_list()->add_values("embedding");
    node.Add("note").set_doc_string("the tuned one");
    node.Add("blob").set_bytes_val("payload");
    node.Message().mutable_inputs()->set_values("[[1, 2, 'cuda:0']]");
    node.Message().mutable_inputs()->set_shapes("[[128, 64]]");
    node.Message().mutable_inputs()->set_types("['Tensor(c10::BFloat16)']");
    node.Message().mutable_outputs()->set_shapes("[[named_dimension]]");
    node.Message().mutable_outputs()->set_types("['SecretType']");
    // A field that the schema does not have, as forks write them.
    const std::string unknown = TextField(99, "fork field");
    const std::string bytes = Frame(TextField(1, "0.0.4") +
                                    TextField(2, TextField(1, "host") + TextField(29, "node17"))) +
                              Frame(node.Message().SerializeAsString() + unknown);
    folder.Write("job.0.et", bytes);
    const TraceJob job = ReadTraceJob({folder.At("job.0.et")}, std::nullopt);
    Anonymisation anonymisation(job);
    const TraceDocument document = anonymisation.MakeDocument(0);
    const std::string text = FormatDocument(document);
    for (const char* const secret : {"myproject",
                                     "customer",
                                     "Contoso",
                                     "layers",
                                     "embedding",
                                     "tuned",
                                     "payload",
                                     "cuda",
                                     "named_",
                                     "Secret",
                                     "fork",
                                     "host",
                                     "node17"})
    {
        INFO(secret);
        CHECK(text.find(secret) == std::string::npos);
    }
    const ChakraProtoMsg::Node& neutral = document.nodes[0];
    CHECK(neutral.inputs().shapes() == "[[128, 64]]");
    CHECK(neutral.inputs().types() == "['Tensor(c10::BFloat16)']");
    CHECK(ToInteger(GetAttribute(neutral, NodeAttribute::TensorSize)) == 12);
    CHECK(ToInteger(GetAttribute(neutral, NodeAttribute::Operations)) == 77);
    CHECK(neutral.attr_size() == node.Message().attr_size());
}

TEST_CASE("Anonymisation: no text of a recorded or generated trace survives, and its graph stays",
          "[trace-tools]")
{
    const ScratchFolder folder("anonymise-samples");
    CheckAnonymous(folder,
                   ReadTraceJob(SampleFiles(SampleTrace("dlrm/dlrm."), 1, ".et.gz"), std::nullopt));
    CheckAnonymous(folder,
                   ReadTraceJob(SampleFiles(SampleTrace("stg-gpt-tp4dp2/workload."), 8),
                                SampleTrace("stg-gpt-tp4dp2/workload.json")));
}

TEST_CASE("Anonymisation: a recording of PyTorch is read as before", "[trace-tools]")
{
    const std::string folder = CollectionFolder();
    if (folder.empty())
    {
        WARN("no collection of traces (NADI_SHARED): nothing checked");
        return;
    }
    const ScratchFolder scratch("anonymise-pytorch");
    for (const auto& files : {SampleFiles(folder + "pytorch_2gpu_2025/chakra_trace.", 2),
                              SampleFiles(folder + "resnet_ddp_rank0_mlcommons/chakra.", 1)})
    {
        CheckAnonymous(scratch, ReadTraceJob(files, std::nullopt));
    }
}
