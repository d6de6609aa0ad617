// Lets several processes take one CUDA device for one of their own each, so that NCCL can be tried
// with one: a library to be named in LD_PRELOAD of all of them. The device has another UUID in each
// rank, and for NCCL, which refuses two processes on one device of a host, each rank is a host.

#include "real_cuda.h"

// Where cudaDeviceProp has the UUID, after char name[256].
enum { kUuidAt = 256 };

__attribute__((constructor)) static void be_a_host(void) {
    const char* rank = getenv("RANK");
    if (rank != NULL) {
        setenv("NCCL_HOSTID", rank, 1);
        setenv("NCCL_SOCKET_IFNAME", "lo", 1);
    }
}

SHOWN int cudaGetDeviceProperties(void* properties, int device) {
    const int result = REAL(cudaGetDeviceProperties)(properties, device);
    const char* rank = getenv("RANK");
    ((char*)properties)[kUuidAt] ^= (char)(rank == NULL ? 0 : 1 + atoi(rank));
    return result;
}
