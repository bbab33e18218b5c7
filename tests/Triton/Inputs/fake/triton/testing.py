do_bench = do_bench_cudagraph = None
