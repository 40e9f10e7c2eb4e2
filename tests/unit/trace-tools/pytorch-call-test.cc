// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/pytorch-call.h"

#include <catch2/catch.hpp>

using namespace nadi;

TEST_CASE("ParseCallName: knows the names that PyTorch gives collectives", "[unit][trace-tools]")
{
    const std::vector<std::pair<const char*, CollectiveType>> names{
        {"allreduce", CollectiveType::AllReduce},
        {"nccl:all_reduce", CollectiveType::AllReduce},
        {"c10d::allreduce_", CollectiveType::AllReduce},
        {"allreduce_coalesced", CollectiveType::AllReduce},
        {"_allgather_base", CollectiveType::AllGather},
        {"all_gather_into_tensor_coalesced", CollectiveType::AllGather},
        {"_reduce_scatter_base", CollectiveType::ReduceScatter},
        {"all_to_allv", CollectiveType::AllToAll},
        {"alltoall_base", CollectiveType::AllToAll},
        {"broadcast", CollectiveType::Broadcast},
        {"_reduce_oop", CollectiveType::Reduce},
        {"gather", CollectiveType::Gather},
        {"scatter", CollectiveType::Scatter},
        {"barrier", CollectiveType::Barrier}};
    for (const auto& [name, type] : names)
    {
        INFO(name);
        const PytorchCall call = ParseCallName(name);
        CHECK(call.kind == PytorchCall::Kind::Collective);
        CHECK(call.type == type);
    }
    CHECK(ParseCallName("wait").kind == PytorchCall::Kind::Wait);
    CHECK(ParseCallName("init").kind == PytorchCall::Kind::Unknown);
}

TEST_CASE("ParseCallName: the other rank of a message may stand in the name", "[unit][trace-tools]")
{
    const PytorchCall send = ParseCallName("nccl:send 0->3");
    CHECK(send.kind == PytorchCall::Kind::Send);
    CHECK(send.partnerPlace == 3U);
    const PytorchCall receive = ParseCallName("nccl:recv 0<-2");
    CHECK(receive.kind == PytorchCall::Kind::Receive);
    CHECK(receive.partnerPlace == 2U);
    CHECK(!ParseCallName("recv").partnerPlace);
}

TEST_CASE("ParseKernelName: knows kernels of NCCL, RCCL and HCCL", "[unit][trace-tools]")
{
    const std::vector<std::pair<const char*, CollectiveType>> names{
        {"ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
         CollectiveType::AllReduce},
        {"ncclKernel_Broadcast_RING_LL_Sum_int8_t(ncclDevComm*)", CollectiveType::Broadcast},
        {"ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(x)", CollectiveType::ReduceScatter},
        {"void ncclAllGatherRingLLKernel_copy_i8(ncclColl)", CollectiveType::AllGather},
        {"ncclDevKernel_Reduce_Sum_f32_RING_LL(x)", CollectiveType::Reduce},
        {"rcclKernel_AllReduce_TREE_LL_Sum_float(x)", CollectiveType::AllReduce},
        {"hcclAllGather_float", CollectiveType::AllGather},
        {"hcom_allReduce__123_0", CollectiveType::AllReduce}};
    for (const auto& [name, type] : names)
    {
        INFO(name);
        CHECK(IsCommunicationKernel(name));
        CHECK(ParseKernelName(name).type == type);
    }
    for (const char* const name : {"ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)",
                                   "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(x)"})
    {
        CHECK(IsCommunicationKernel(name));
        CHECK(ParseKernelName(name).kind == PytorchCall::Kind::Unknown);
    }
    CHECK(!IsCommunicationKernel("void at::native::reduce_kernel<512>(x)"));
}

TEST_CASE("PytorchCall: the size is what a rank puts in, or what it receives of a root or sender",
          "[unit][trace-tools]")
{
    PytorchCall call = ParseCallName("_allgather_base");
    call.inputBytes = 100;
    call.outputBytes = 800;
    CHECK(call.FindSize() == 100U);
    call.type = CollectiveType::Scatter;
    CHECK(call.FindSize() == 800U);
    call = ParseCallName("recv");
    call.outputBytes = 64;
    CHECK(call.FindSize() == 64U);
    CHECK(ParseCallName("barrier").FindSize() == 0U);
    CHECK(!ParseCallName("allreduce").FindSize());
}

TEST_CASE("PytorchCall: what is known is not overwritten", "[unit][trace-tools]")
{
    PytorchCall call = ParseCallName("allreduce");
    call.inputBytes = 4;
    PytorchCall other = ParseCallName("broadcast");
    other.inputBytes = 8;
    other.groupSize = 2;
    call.Complete(other);
    CHECK(call.type == CollectiveType::AllReduce);
    CHECK(call.inputBytes == 4U);
    CHECK(call.groupSize == 2U);
}

TEST_CASE("FindElementBytes: knows the types of PyTorch under all their names",
          "[unit][trace-tools]")
{
    CHECK(FindElementBytes("Float") == 4U);
    CHECK(FindElementBytes("c10::Half") == 2U);
    CHECK(FindElementBytes("c10::BFloat16") == 2U);
    CHECK(FindElementBytes("long int") == 8U);
    CHECK(FindElementBytes("Byte") == 1U);
    CHECK(FindElementBytes("Float8_e4m3fn") == 1U);
    CHECK(FindElementBytes("c10::complex<float>") == 8U);
    CHECK(FindElementBytes("ComplexDouble") == 16U);
    CHECK(!FindElementBytes("quaternion"));
    CHECK(!FindElementBytes(""));
}
