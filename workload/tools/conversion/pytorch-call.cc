// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/pytorch-call.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

namespace nadi
{

namespace
{

using CallKind = PytorchCall::Kind;

constexpr std::array LIBRARIES{"nccl", "rccl", "hccl", "hcom_"};

/// The letters of a name in lower case: libraries differ in underscores and capitals only.
std::string
LettersOf(std::string_view name)
{
    std::string letters;
    for (const char letter : name)
    {
        if (std::isalpha(static_cast<unsigned char>(letter)) != 0)
        {
            letters += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
        }
    }
    return letters;
}

/// A collective whose name begins with that of another one stands before it.
constexpr std::array<std::pair<const char*, CollectiveType>, 9> COLLECTIVES{
    {{"allreduce", CollectiveType::AllReduce},
     {"allgather", CollectiveType::AllGather},
     {"reducescatter", CollectiveType::ReduceScatter},
     {"alltoall", CollectiveType::AllToAll},
     {"broadcast", CollectiveType::Broadcast},
     {"reduce", CollectiveType::Reduce},
     {"gather", CollectiveType::Gather},
     {"scatter", CollectiveType::Scatter},
     {"barrier", CollectiveType::Barrier}}};

/// By the begin of the name: what follows, as in "allgatherbase", only says how the call is made.
std::optional<CollectiveType>
FindCollective(std::string_view letters)
{
    for (const auto& [name, type] : COLLECTIVES)
    {
        if (letters.starts_with(name))
        {
            return type;
        }
    }
    return std::nullopt;
}

/// The number behind an arrow, as in "nccl:send 0->1" and "nccl:recv 1<-0".
std::optional<uint32_t>
FindArrowTarget(std::string_view name)
{
    const size_t arrow = std::min(name.find("->"), name.find("<-"));
    uint32_t number = 0;
    if (arrow == std::string_view::npos)
    {
        return std::nullopt;
    }
    const char* const begin = name.data() + arrow + 2;
    const char* const end = name.data() + name.size();
    return std::from_chars(begin, end, number).ec == std::errc() ? std::optional(number)
                                                                 : std::nullopt;
}

/// The name behind its last colon, as in "nccl:all_reduce", "c10d::broadcast_", "c10::Half".
std::string_view
RemovePrefix(std::string_view name)
{
    const size_t colon = name.rfind(':');
    return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

template <class Known>
void
TakeOver(std::optional<Known>& known, const std::optional<Known>& other)
{
    if (!known)
    {
        known = other;
    }
}

template <class Known>
void
TakeOver(std::vector<Known>& known, const std::vector<Known>& other)
{
    if (known.empty())
    {
        known = other;
    }
}

} // namespace

void
PytorchCall::Complete(const PytorchCall& other)
{
    if (kind == CallKind::Unknown)
    {
        kind = other.kind;
    }
    // Each member is taken by itself: what one source leaves out another one may tell.
    TakeOver(type, other.type);
    TakeOver(inputBytes, other.inputBytes);
    TakeOver(outputBytes, other.outputBytes);
    TakeOver(inputSplits, other.inputSplits);
    TakeOver(outputSplits, other.outputSplits);
    TakeOver(ranks, other.ranks);
    TakeOver(group, other.group);
    TakeOver(groupSize, other.groupSize);
    TakeOver(partnerPlace, other.partnerPlace);
    TakeOver(partnerRank, other.partnerRank);
    TakeOver(request, other.request);
}

std::optional<uint64_t>
PytorchCall::FindSize() const
{
    if (type == CollectiveType::Barrier)
    {
        return 0;
    }
    // In a receive, and in a scatter, a rank may put nothing in.
    const bool isOutput = kind == CallKind::Receive || type == CollectiveType::Scatter;
    return isOutput ? outputBytes : inputBytes;
}

PytorchCall
ParseCallName(std::string_view name)
{
    PytorchCall call;
    const std::string letters = LettersOf(RemovePrefix(name));
    call.type = FindCollective(letters);
    if (call.type)
    {
        call.kind = CallKind::Collective;
    }
    // The arrow and the numbers of "send 0->1" are not among the letters, so the name is compared
    // as a whole.
    else if (letters == "send" || letters == "recv" || letters == "recvanysource")
    {
        call.kind = letters == "send" ? CallKind::Send : CallKind::Receive;
        call.partnerPlace = FindArrowTarget(name);
    }
    else if (letters == "wait")
    {
        call.kind = CallKind::Wait;
    }
    return call;
}

bool
IsCommunicationKernel(std::string_view kernel)
{
    // The demangled name of a template begins with the type of its result.
    constexpr std::string_view result = "void ";
    if (kernel.starts_with(result))
    {
        kernel.remove_prefix(result.size());
    }
    return std::any_of(LIBRARIES.begin(),
                       LIBRARIES.end(),
                       [kernel](const char* library) { return kernel.starts_with(library); });
}

/// Libraries put their own words before the collective ("ncclDevKernel_"), so the collective is
/// looked for anywhere in the name.
PytorchCall
ParseKernelName(std::string_view kernel)
{
    PytorchCall call;
    // Arguments of templates and functions may name other collectives.
    const std::string letters = LettersOf(kernel.substr(0, kernel.find_first_of("(<")));
    size_t first = std::string::npos;
    for (const auto& [name, type] : COLLECTIVES)
    {
        // The first collective in the name, as "Reduce" may follow as an operation.
        const size_t at = letters.find(name);
        // Of names that begin at one place, the longer one stands first in the list and is kept.
        if (at < first)
        {
            first = at;
            call.type = type;
            call.kind = CallKind::Collective;
        }
    }
    return call;
}

/// Some names are PyTorch's ("BFloat16") and some those of C++ ("long int"). Capitals do not count.
std::optional<uint64_t>
FindElementBytes(std::string_view type)
{
    const std::string_view name = RemovePrefix(type);
    for (const auto& [known, bytes] :
         std::initializer_list<std::pair<const char*, uint64_t>>{{"float", 4},
                                                                 {"double", 8},
                                                                 {"half", 2},
                                                                 {"bfloat16", 2},
                                                                 {"int", 4},
                                                                 {"long", 8},
                                                                 {"long int", 8},
                                                                 {"short", 2},
                                                                 {"short int", 2},
                                                                 {"byte", 1},
                                                                 {"unsigned char", 1},
                                                                 {"char", 1},
                                                                 {"signed char", 1},
                                                                 {"bool", 1},
                                                                 {"float8_e4m3fn", 1},
                                                                 {"float8_e5m2", 1},
                                                                 {"float8_e4m3fnuz", 1},
                                                                 {"float8_e5m2fnuz", 1},
                                                                 {"complexfloat", 8},
                                                                 {"complexdouble", 16},
                                                                 {"complex<float>", 8},
                                                                 {"complex<double>", 16},
                                                                 {"float8_e8m0fnu", 1},
                                                                 {"unsigned short", 2},
                                                                 {"short unsigned int", 2},
                                                                 {"unsigned int", 4},
                                                                 {"unsigned long", 8},
                                                                 {"long unsigned int", 8},
                                                                 {"uint16", 2},
                                                                 {"uint32", 4},
                                                                 {"uint64", 8}})
    {
        const bool isEqual =
            std::equal(name.begin(),
                       name.end(),
                       known,
                       known + std::string_view(known).size(),
                       [](char left, char right) { return std::tolower(left) == right; });
        if (isEqual)
        {
            return bytes;
        }
    }
    return std::nullopt;
}

} // namespace nadi
