extern "C" __global__ void uncompilable(int *out)
{
    out[0] = undeclared_name;
}
