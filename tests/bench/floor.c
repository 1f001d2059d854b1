/*
 * The floor of the benchmark: what it costs to start and end a program that
 * is linked as ours are, and does nothing.
 */
int
main(void)
{
	return 0;
}
